/** A statement such as `gateway.grant(...)` without `.call(...)` has no effect, so the construct reports it. */
import { describe, expect, test } from 'vitest';
import { Caller, Gateway, Incoming } from '../../../../compiler/cdk8s/index.ts';
import { world } from '../../../support/cdk8s-world.ts';

describe('unfinished calls', () => {
  test.each<[what: string, say: (gateway: Gateway) => unknown, message: string]>([
    ['a grant without a call', gateway => gateway.grant(Caller.any()), '`grant` grants nothing'],
    ['a forbid without a call', gateway => gateway.forbid(Caller.any()), '`forbid` forbids nothing'],
    [
      'a second forbid without a call',
      gateway => {
        gateway.forbid(Caller.any()).everything();
        gateway.forbid(Caller.any());
      },
      '`forbid` forbids nothing',
    ],
    ['expect without an expectation', gateway => gateway.expect(e => e), '`expect` states no expectation'],
    [
      'an anonymous caller in expect without an expectation',
      gateway => gateway.expect(e => e.anonymous()),
      '`anonymous` without an expectation',
    ],
    [
      'a caller with claims in expect without an expectation',
      gateway => gateway.expect(e => e.caller({})),
      '`caller` without an expectation',
    ],
  ])('the Gateway construct throws at synthesis for an unfinished call: %s', (_, say, message) => {
    const { chart, group } = world();
    const gateway = new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() });
    say(gateway);
    expect(() => chart.toJson()).toThrow(message);
    expect(gateway.node.validate()).toEqual([expect.stringContaining(message)]);
  });
});

test('a program may keep a grant in a variable and add permissions to it later, more than once', () => {
  const { chart, group, docs } = world();
  const grant = new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() }).grant(Caller.any());
  grant.call(docs.tools.read);
  grant.get(docs.prompt('outline'));
  const { spec } = chart.toJson().find(({ kind }) => kind === 'VirtualMCPServer');
  expect(spec.incomingAuth.authzConfig.inline.policies).toHaveLength(2);
});
