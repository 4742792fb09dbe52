/** Renamed tools: policies, filters and overrides refer to the same tool. */
import { describe, expect, test } from 'vitest';
import { Backend, Caller, Gateway, Incoming } from '../../../../compiler/cdk8s/index.ts';
import { OFFERS, world } from '../../../support/cdk8s-world.ts';
import { compiled } from '../../../support/compiled-chart.ts';

type World = ReturnType<typeof world> & { readonly gateway: Gateway };

function gatewayWorld(): World {
  const w = world();
  return { ...w, gateway: new Gateway(w.chart, 'eng', { group: w.group, incoming: Incoming.anonymous() }) };
}

const WORDS = { description: 'Opens an issue', annotations: { title: 'Open' } };

describe('all that is said of one tool counts', () => {
  test.each<[what: string, say: (w: World) => unknown, override: object]>([
    [
      'a name, then words',
      ({ gateway, github }) =>
        gateway.rename(github.tools.create_issue, 'open').describe(github.tools.create_issue, WORDS),
      { name: 'open', ...WORDS },
    ],
    [
      'words, then a name',
      ({ gateway, github }) =>
        gateway.describe(github.tools.create_issue, WORDS).rename(github.tools.create_issue, 'open'),
      { name: 'open', ...WORDS },
    ],
    [
      'a name without words after one with some',
      ({ gateway, github }) =>
        gateway.rename(github.tools.create_issue, 'start', WORDS).rename(github.tools.create_issue, 'open'),
      { name: 'open', ...WORDS },
    ],
    [
      'one hint, then another',
      ({ gateway, github }) =>
        gateway
          .rename(github.tools.create_issue, 'open', { annotations: { destructiveHint: true } })
          .describe(github.tools.create_issue, { annotations: { title: 'Open' } }),
      { name: 'open', annotations: { destructiveHint: true, title: 'Open' } },
    ],
    [
      'values that are not given',
      ({ gateway, github }) =>
        gateway
          .rename(github.tools.create_issue, 'open', WORDS)
          .describe(github.tools.create_issue, { description: undefined, annotations: undefined } as object),
      { name: 'open', ...WORDS },
    ],
  ])('%s', (_, say, override) => {
    const w = gatewayWorld();
    say(w);
    w.gateway.grant(Caller.any()).call(w.github.tools.create_issue);
    const { spec } = w.chart.toJson().find(({ kind }) => kind === 'VirtualMCPServer');
    expect(spec.config.aggregation.tools).toEqual([
      { workload: 'github', filter: ['open'], overrides: { create_issue: override } },
    ]);
    const result = compiled(w.chart, OFFERS);
    expect(result.findings.filter(finding => !finding.startsWith('LNT4001'))).toEqual([]);
    expect(result.caller('eng').reachable()).toEqual(['github_open']);
  });
});

describe('a name that two tools of a backend would have is an error at synth, offered or not', () => {
  test.each<[what: string, say: (w: World, unlocked: Backend) => unknown, message: string]>([
    [
      'of a tool that is granted',
      ({ gateway }, pg) => {
        gateway.grant(Caller.any()).call(pg.tool('truncate_log'));
        gateway.rename(pg.tool('drop_table'), 'truncate_log');
      },
      '"drop_table" and "truncate_log" of "pg" would both be called "truncate_log": rename one of them',
    ],
    [
      'of two that are renamed',
      ({ gateway }, pg) => gateway.rename(pg.tool('a'), 'x').rename(pg.tool('b'), 'x').expose(pg.tool('c')),
      '"a" and "b" of "pg" would both be called "x"',
    ],
    [
      'of a tool of the lock',
      ({ gateway, github }) => gateway.rename(github.tools.create_issue, 'search').expose(github.tools.delete_repo),
      '"create_issue" and "search" of "github" would both be called "search"',
    ],
    [
      'of a tool of another backend, which is renamed',
      ({ gateway, group }, pg) =>
        gateway.rename(pg.tool('a'), 'x_y').expose(Backend.existing({ name: 'pg_x', group }).tool('y')),
      '"a" of "pg" and "y" of "pg_x" would be called "pg_x_y"',
    ],
  ])('%s', (_, say, message) => {
    const w = gatewayWorld();
    say(w, Backend.existing({ name: 'pg', group: w.group }));
    expect(() => w.chart.toJson()).toThrow(message);
    expect(w.gateway.node.validate()).toEqual([expect.stringContaining(message)]);
  });
});

test('two tools may take the names of each other', () => {
  const { gateway, github, chart } = gatewayWorld();
  gateway.rename(github.tools.create_issue, 'delete_repo').rename(github.tools.delete_repo, 'create_issue');
  gateway.grant(Caller.any()).call(github.tools.create_issue);
  const { spec } = chart.toJson().find(({ kind }) => kind === 'VirtualMCPServer');
  expect(spec.config.aggregation.tools).toEqual([
    expect.objectContaining({
      filter: ['delete_repo'],
      overrides: expect.objectContaining({ create_issue: { name: 'delete_repo' } }),
    }),
  ]);
  expect(spec.incomingAuth.authzConfig.inline.policies.join()).toContain('Tool::"github_delete_repo"');
});
