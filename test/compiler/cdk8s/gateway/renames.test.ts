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

describe('combined overrides of a tool', () => {
  test.each<[what: string, say: (w: World) => unknown, override: object]>([
    [
      'a rename, then a description',
      ({ gateway, github }) =>
        gateway.rename(github.tools.create_issue, 'open').describe(github.tools.create_issue, WORDS),
      { name: 'open', ...WORDS },
    ],
    [
      'a description, then a rename',
      ({ gateway, github }) =>
        gateway.describe(github.tools.create_issue, WORDS).rename(github.tools.create_issue, 'open'),
      { name: 'open', ...WORDS },
    ],
    [
      'a rename without a description after a rename with a description',
      ({ gateway, github }) =>
        gateway.rename(github.tools.create_issue, 'start', WORDS).rename(github.tools.create_issue, 'open'),
      { name: 'open', ...WORDS },
    ],
    [
      'two annotations one after the other',
      ({ gateway, github }) =>
        gateway
          .rename(github.tools.create_issue, 'open', { annotations: { destructiveHint: true } })
          .describe(github.tools.create_issue, { annotations: { title: 'Open' } }),
      { name: 'open', annotations: { destructiveHint: true, title: 'Open' } },
    ],
    [
      'undefined values',
      ({ gateway, github }) =>
        gateway
          .rename(github.tools.create_issue, 'open', WORDS)
          .describe(github.tools.create_issue, { description: undefined, annotations: undefined } as object),
      { name: 'open', ...WORDS },
    ],
  ])('the Gateway construct combines all overrides of a tool: %s', (_, say, override) => {
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

describe('tool names that collide', () => {
  test.each<[what: string, say: (w: World, unlocked: Backend) => unknown, message: string]>([
    [
      'of a granted tool',
      ({ gateway }, pg) => {
        gateway.grant(Caller.any()).call(pg.tool('truncate_log'));
        gateway.rename(pg.tool('drop_table'), 'truncate_log');
      },
      '"drop_table" and "truncate_log" of "pg" would both be called "truncate_log": rename one of them',
    ],
    [
      'by renaming two tools to one name',
      ({ gateway }, pg) => gateway.rename(pg.tool('a'), 'x').rename(pg.tool('b'), 'x').expose(pg.tool('c')),
      '"a" and "b" of "pg" would both be called "x"',
    ],
    [
      'of a tool of the lock',
      ({ gateway, github }) => gateway.rename(github.tools.create_issue, 'search').expose(github.tools.delete_repo),
      '"create_issue" and "search" of "github" would both be called "search"',
    ],
    [
      'of a tool of another backend that is renamed',
      ({ gateway, group }, pg) =>
        gateway.rename(pg.tool('a'), 'x_y').expose(Backend.existing({ name: 'pg_x', group }).tool('y')),
      '"a" of "pg" and "y" of "pg_x" would be called "pg_x_y"',
    ],
  ])('the Gateway construct throws at synthesis if a rename gives a tool the name %s', (_, say, message) => {
    const w = gatewayWorld();
    say(w, Backend.existing({ name: 'pg', group: w.group }));
    expect(() => w.chart.toJson()).toThrow(message);
    expect(w.gateway.node.validate()).toEqual([expect.stringContaining(message)]);
  });
});

test('two tools of a backend may swap their names', () => {
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
