import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeExposure } from '../../../compiler/analysis/exposure/compute-exposure.ts';
import { createCatalog, entries, formatBackendKey, models, object } from '../../support/gateway-rule.ts';
import { gatewayConfig } from '../../support/rule.ts';
import { compiled, exposures, OFFERS, SPECS } from './sample.ts';

const LIMIT_MS = 30_000;

test('the report of `lintel exposure` does not depend on the order of the objects in the specs', () => {
  const [first] = exposures(SPECS, OFFERS);
  const [second] = exposures(SPECS.split('---\n').reverse().join('\n---\n'), OFFERS);
  expect(JSON.stringify(second)).toBe(JSON.stringify(first));
});

test('the report of `lintel exposure` shows a gateway with a feature that the runtime does not serve yet', () => {
  const unserved = SPECS.replace('  config:\n', '  config:\n    codeMode: { enabled: true }\n');
  const { gateways, findings } = compiled(unserved, createCatalog(OFFERS));
  expect(findings.diagnostics.map(({ code }) => code)).toContain('LNT1009');
  expect(gateways.map(({ bundle, exposure }) => [bundle, exposure()?.name])).toEqual([[null, 'eng']]);
});

test.each([
  ['at the gateway', SPECS.replace('workload: pg', 'workload: pgg')],
  ['at an object to which the gateway refers', SPECS.replace('audience: https://github', 'audienze: https://github')],
])('`lintel exposure` leaves out a gateway if there is an error %s', (_, text) => {
  const { gateways } = compiled(text, createCatalog(OFFERS));
  expect(gateways.map(({ exposure }) => exposure())).toEqual([null]);
});

test('`lintel exposure` reports a gateway although the finding LNT5008 about tools that callers reach through its workflows is an error', () => {
  const { gateways, findings } = compiled(SPECS, createCatalog(OFFERS));
  const found = findings.diagnostics.filter(({ code }) => code === 'LNT5008');
  expect(found.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
    'error "cleanup_env" lets principal in Group::"contractors" or principal in Group::"eng" reach "pg_drop_table" (cleanup_env → purge → pg_drop_table), which policy "no-ddl" forbids to every caller',
    'warning "cleanup_env" lets principal in Group::"contractors" reach "pg_vacuum" (cleanup_env → vacuum → pg_vacuum), which the policies permit only to principal in Group::"eng"',
  ]);
  expect(gateways[0]?.exposure()?.tools.find(({ name }) => name === 'pg_drop_table')?.reach.type).toBe('some');
});

test.each([
  ['in a ConfigMap outside of the sources', 'authzConfig: { type: configMap, configMap: { name: elsewhere } }'],
  ['that do not parse', "authzConfig: { type: inline, inline: { policies: ['permit('] } }"],
])('the report of `lintel exposure` says that access is unknown for a gateway with policies %s', (_, authz) => {
  const text = `
  groupRef: { name: tools }
  incomingAuth:
    type: oidc
    oidcConfigRef: { name: corp, audience: mcp }
    ${authz}
  config: { compositeTools: [{ name: flow, steps: [{ id: a, tool: github.search }] }] }`;
  const [model] = models([object('VirtualMCPServer', text), entries('github')], {
    [formatBackendKey('github')]: {
      tools: ['search'],
      prompts: [{ name: 'p' }],
      resources: [{ uri: 'file:///r', name: 'r' }],
    },
  });
  const exposure = model && computeExposure(model);
  expect(exposure?.authorization).toMatchObject({ type: 'cedar', policies: null });
  const all = [exposure?.tools, exposure?.composites, exposure?.prompts, exposure?.resources].flat();
  expect(all.map(item => item?.direct)).toEqual(Array.from({ length: 4 }, () => ({ type: 'unknown' })));
  expect(exposure?.callers).toEqual([]);
});

test('the report of `lintel exposure` groups callers by their grants, and lists the tools that each group of callers reaches', () => {
  const [exposure] = exposures(SPECS, OFFERS);
  const classes = exposure?.callers.map(({ who, tools }) => [
    who.type === 'some' ? who.anyOf.map(({ permit }) => permit.policy).join() : who.type,
    tools,
  ]);
  expect(classes).toEqual([
    ['everyone', ['github_search', 'pg_query']],
    ['contractors', ['pg_drop_table', 'pg_vacuum']],
    [
      'engineers',
      ['github_delete_repo', 'github_open_issue', 'pg_drop_table', 'pg_vacuum', 'wiki_edit', 'wiki_search'],
    ],
  ]);
});

const names = ['a', 'b', 'c', 'd', 'e'] as const;
const name = fc.constantFrom(...names);

test(
  'the report of `lintel exposure` says that everyone reaches the listed tools and the tools of workflows if there are no policies',
  () => {
    const spec = fc.record({
      shown: fc.uniqueArray(name, { minLength: 1 }),
      workflows: fc.array(fc.array(fc.tuple(name, fc.constantFrom('_', '.')), { minLength: 1, maxLength: 4 }), {
        maxLength: 3,
      }),
    });
    fc.assert(
      fc.property(spec, ({ shown, workflows }) => {
        const compositeTools = workflows.map((tools, number) => ({
          name: `flow${number}`,
          steps: tools.map(([tool, join], at) => ({ id: `s${at}`, tool: `pg${join}${tool}` })),
        }));
        const aggregation = { tools: [{ workload: 'pg', filter: shown }] };
        const config = gatewayConfig(JSON.stringify({ aggregation, compositeTools }));
        const [model] = models([config, entries('pg')], { [formatBackendKey('pg')]: { tools: names } });
        const reached = (model ? computeExposure(model) : undefined)?.tools.filter(
          ({ reach }) => reach.type === 'everyone',
        );
        const called = workflows.flatMap(tools => tools.map(([tool]) => tool));
        const expected = names.filter(tool => (shown as readonly string[]).includes(tool) || called.includes(tool));
        expect(reached?.map(({ originalName }) => originalName)).toEqual(expected);
      }),
      { numRuns: 200, seed: 7 },
    );
  },
  LIMIT_MS,
);
