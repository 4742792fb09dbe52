/** Statements that are begun and never completed have no effect, so the construct reports them. */
import { describe, expect, test } from 'vitest';
import { Caller, Gateway, Incoming } from '../../../../compiler/cdk8s/index.ts';
import { world } from '../../../support/cdk8s-world.ts';

describe('an unfinished call is an error at synthesis', () => {
  test.each<[what: string, say: (gateway: Gateway) => unknown, message: string]>([
    ['a grant', gateway => gateway.grant(Caller.any()), '`grant` grants nothing'],
    ['a prohibition', gateway => gateway.forbid(Caller.any()), '`forbid` forbids nothing'],
    [
      'a prohibition after a whole one',
      gateway => {
        gateway.forbid(Caller.any()).everything();
        gateway.forbid(Caller.any());
      },
      '`forbid` forbids nothing',
    ],
    ['an expectation', gateway => gateway.expect(e => e), '`expect` states no expectation'],
    [
      'a caller in `expect` without an expectation',
      gateway => gateway.expect(e => e.anonymous()),
      '`anonymous` without an expectation',
    ],
    [
      'a caller with claims in `expect` without an expectation',
      gateway => gateway.expect(e => e.caller({})),
      '`caller` without an expectation',
    ],
  ])('%s', (_, say, message) => {
    const { chart, group } = world();
    const gateway = new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() });
    say(gateway);
    expect(() => chart.toJson()).toThrow(message);
    expect(gateway.node.validate()).toEqual([expect.stringContaining(message)]);
  });
});

test('a grant in a variable may be completed later, and more than once', () => {
  const { chart, group, docs } = world();
  const grant = new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() }).grant(Caller.any());
  grant.call(docs.tools.read);
  grant.get(docs.prompt('outline'));
  const { spec } = chart.toJson().find(({ kind }) => kind === 'VirtualMCPServer');
  expect(spec.incomingAuth.authzConfig.inline.policies).toHaveLength(2);
});
