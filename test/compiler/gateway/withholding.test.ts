import { expect, test } from 'vitest';
import type { BackendOffering, CatalogItem } from '#schemas';
import { createLockedEntry } from '../../../compiler/analysis/catalog/index.ts';
import { computeExposure } from '../../../compiler/analysis/exposure/compute-exposure.ts';
import { buildTable } from '../../../runtime/gateway/routing/table.ts';
import { entries, formatBackendKey, models } from '../../support/gateway-rule.ts';
import { gatewayConfig } from '../../support/rule.ts';

const object = { type: 'object' };
const nested = JSON.parse(`${'['.repeat(95)}${']'.repeat(95)}`);

const A: readonly unknown[] = [
  { name: 'good', inputSchema: object },
  { name: 'none' },
  { name: 'typed', inputSchema: { type: 'object', properties: { n: { type: 'int' } } } },
  { name: 'output', inputSchema: object, outputSchema: { type: 'object', properties: [] } },
  { name: 'header', inputSchema: { type: 'object', properties: { n: { type: 'number', 'x-mcp-header': 'N' } } } },
  { name: 'with space', inputSchema: object },
  { name: 'x'.repeat(130), inputSchema: object },
  { name: 'twice', title: 'first', inputSchema: object },
  { name: 'twice', title: 'second', inputSchema: object },
  { name: 'deep', nested, inputSchema: object },
  { name: 'half', title: '\ud800', inputSchema: object },
  { title: 'nameless' },
  null,
];
const B: readonly unknown[] = [
  { name: 'typed', inputSchema: object },
  { name: 'hidden', inputSchema: 'none' },
  { name: 'good', inputSchema: object },
];

/** The tool lock of a backend that offers these tools. */
function locked(tools: readonly unknown[]): { readonly tools: readonly CatalogItem[] } {
  const answer = { protocolVersion: '2025-11-25', serverInfo: {}, tools, prompts: [], resources: [] };
  const offering = { ...answer, resourceTemplates: [] } as unknown as BackendOffering;
  const { entry } = createLockedEntry(offering, { url: 'https://x.example.com', transport: 'sse' });
  // The test helper adds an input schema to tools without one.
  return {
    tools: Object.values(entry.tools ?? {}).map(({ definition }) => ({ inputSchema: undefined, ...definition })),
  };
}

test.each([
  [
    'prefixes',
    '{ aggregation: { tools: [{ workload: b, overrides: { hidden: { name: h } }, filter: [typed, good] }] } }',
  ],
  [
    'priorities',
    '{ aggregation: { conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [a, b] } } }',
  ],
])('the compiler predicts which tools the runtime offers and withholds, with tools named by %s', (_, config) => {
  const offers = { [formatBackendKey('a')]: locked(A), [formatBackendKey('b')]: locked(B) };
  const [model] = models([gatewayConfig(config), entries('a', 'b')], offers);
  if (model === undefined) throw new Error('no gateway');
  const none = { prompts: [], resources: [], resourceTemplates: [] };
  const table = buildTable(
    model.plan,
    model.plan.backends.map(plan => ({
      plan,
      items: { tools: (plan.name === 'a' ? A : B) as CatalogItem[], ...none },
      available: true,
    })),
  );

  const shown = model.tools.filter(({ advertised }) => advertised);
  expect(shown.length).toBeGreaterThan(1);
  expect(shown.map(({ definition }) => definition)).toEqual(
    table.lists.tools.items.map(({ json }) => JSON.parse(json) as CatalogItem),
  );

  const exposure = computeExposure(model);
  // Findings about tools that are not in the lock came when the lock was written.
  const atRuntime = table.withheld.filter(({ reason }) => reason !== 'malformed' && reason !== 'duplicate');
  const told = ({ name, backend, originalName, reason, detail }: (typeof exposure)['withheld'][number]) =>
    [name, backend, originalName, reason, detail].join(' | ');
  expect(exposure.withheld.map(told).sort()).toEqual(
    atRuntime.map(({ kind: _kind, ...item }) => told({ type: 'tool', ...item } as never)).sort(),
  );
  expect(new Set(exposure.withheld.map(({ reason }) => reason))).toContain('invalid_schema');
  expect(exposure.totals.listed).toBe(table.lists.tools.items.length);
});

test('a workflow can call a withheld tool, as it can call a hidden tool', () => {
  const config = '{ compositeTools: [{ name: c, steps: [{ id: s, tool: a_none }] }] }';
  const [model] = models([gatewayConfig(config), entries('a')], { [formatBackendKey('a')]: locked(A) });
  const [target] = model?.composites.flatMap(({ calls }) => calls.map(call => call.target)) ?? [];
  expect(target).toMatchObject({ type: 'tool', tool: { originalName: 'none', advertised: false } });
});
