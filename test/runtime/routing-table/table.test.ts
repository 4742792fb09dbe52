import { describe, expect, test } from 'vitest';
import type { AggregationPlan, BackendPlan, BackendToolPlan } from '#schemas';
import { type Capabilities, type Item, NO_CAPABILITIES } from '../../../runtime/gateway/capabilities.ts';
import { type BackendOffer, buildTable } from '../../../runtime/gateway/table.ts';

const prefix: AggregationPlan = { strategy: 'prefix', priorityOrder: [] };

function offer(
  name: string,
  capabilities: Partial<Capabilities>,
  options: { tools?: Partial<BackendToolPlan>; available?: boolean } = {},
): BackendOffer {
  const plan: BackendPlan = {
    name,
    url: `http://${name}.test/mcp`,
    transport: 'streamable-http',
    addresses: 'any',
    timeoutMs: 1000,
    auth: { type: 'unauthenticated' },
    metadata: {},
    tools: { prefix: `${name}_`, advertise: { type: 'all' }, overrides: {}, ...options.tools },
  };
  return { plan, capabilities: { ...NO_CAPABILITIES, ...capabilities }, available: options.available ?? true };
}

const shown = (table: ReturnType<typeof buildTable>, kind: keyof Capabilities): Item[] =>
  table.lists[kind].items.map(({ json }) => JSON.parse(json) as Item);

describe('the routing table', () => {
  test('shows a tool under its name with every other member untouched', () => {
    const tool = {
      name: 'x',
      description: 'd',
      inputSchema: { type: 'object' },
      icons: [{ src: 'i' }],
      'x-own': [1, null],
    };
    const table = buildTable({ aggregation: prefix }, [offer('a', { tools: [tool] })]);
    expect(shown(table, 'tools')).toEqual([{ ...tool, name: 'a_x' }]);
    expect(table.tools.get('a_x')).toEqual({ backend: 'a', originalName: 'x' });
    expect(table.tools.get('x')).toBeUndefined();
  });

  test('an override replaces only what it says', () => {
    const tool = { name: 'x', description: 'old', annotations: { title: 'T', readOnlyHint: true, own: 1 } };
    const overrides = { x: { name: 'y', description: 'new', annotations: { readOnlyHint: false } } };
    const table = buildTable({ aggregation: prefix }, [offer('a', { tools: [tool] }, { tools: { overrides } })]);
    expect(shown(table, 'tools')).toEqual([
      { name: 'a_y', description: 'new', annotations: { title: 'T', readOnlyHint: false, own: 1 } },
    ]);
    expect(table.tools.get('a_y')).toEqual({ backend: 'a', originalName: 'x' });
  });

  test('hidden tools are neither listed nor callable by clients', () => {
    const table = buildTable({ aggregation: prefix }, [
      offer('a', { tools: [{ name: 'x' }, { name: 'y' }] }, { tools: { advertise: { type: 'only', names: ['y'] } } }),
    ]);
    expect(shown(table, 'tools')).toEqual([{ name: 'a_y' }]);
    expect([...table.tools.keys()]).toEqual(['a_y']);
  });

  test('a backend that is away keeps its names and disappears from the lists', () => {
    const priority: AggregationPlan = { strategy: 'priority', priorityOrder: ['a', 'b'] };
    const table = buildTable({ aggregation: priority }, [
      offer('a', { tools: [{ name: 'review' }] }, { available: false }),
      offer('b', { tools: [{ name: 'review' }] }),
    ]);
    expect(shown(table, 'tools')).toEqual([]);
    expect(table.tools.get('review')).toEqual({ backend: 'a', originalName: 'review' });
    expect(table.withheld).toEqual([
      { kind: 'tools', backend: 'b', name: 'review', originalName: 'review', reason: 'outranked' },
    ]);
  });

  test('a URI belongs to the backend that comes first by name; the other is shadowed', () => {
    const table = buildTable({ aggregation: prefix }, [
      offer('b', { resources: [{ uri: 'x://1', name: 'from b' }] }),
      offer('a', { resources: [{ uri: 'x://1', name: 'from a' }] }),
    ]);
    expect(shown(table, 'resources')).toEqual([{ uri: 'x://1', name: 'from a' }]);
    expect(table.resource('x://1')).toEqual({ backend: 'a', originalName: 'x://1' });
    expect(table.withheld).toEqual([
      { kind: 'resources', backend: 'b', name: 'x://1', originalName: 'x://1', reason: 'shadowed' },
    ]);
  });

  test('a URI that is not listed goes to the first template that matches', () => {
    const table = buildTable({ aggregation: prefix }, [
      offer('b', { resourceTemplates: [{ uriTemplate: 'x://{+any}', name: 'wide' }] }),
      offer('c', {
        resourceTemplates: [{ uriTemplate: 'x://a/{id}', name: 'narrow' }],
        resources: [{ uri: 'x://own', name: 'o' }],
      }),
    ]);
    expect(table.resource('x://a/7')?.backend).toBe('c');
    expect(table.resource('x://z')?.backend).toBe('b');
    expect(table.resource('x://own')?.backend).toBe('c');
    expect(table.resource('y://z')).toBeUndefined();
  });

  test('a filter or an override for a tool that the backend does not have is told', () => {
    const overrides = { old: { name: 'new' }, misspelt: { name: 'x' } };
    const tools = { overrides, advertise: { type: 'only' as const, names: ['new', 'old', 'plain', 'gone'] } };
    const offered = { tools: [{ name: 'old' }, { name: 'plain' }] };
    const table = buildTable({ aggregation: prefix }, [
      offer('a', offered, { tools }),
      offer('b', offered, { tools, available: false }),
    ]);
    expect(table.idle).toEqual([
      { backend: 'a', setting: 'filter', tool: 'old' },
      { backend: 'a', setting: 'filter', tool: 'gone' },
      { backend: 'a', setting: 'override', tool: 'misspelt' },
    ]);
  });

  test('what has no name, and a template that is none, is withheld; the rest of the backend works', () => {
    const table = buildTable({ aggregation: prefix }, [
      offer('a', {
        tools: [{ name: 'ok' }, { title: 'nameless' }, null as unknown as Item, { name: 7 }, { name: '' }],
        resourceTemplates: [{ uriTemplate: 'x://{', name: 'broken' }],
      }),
    ]);
    expect(shown(table, 'tools')).toEqual([{ name: 'a_ok' }]);
    expect(shown(table, 'resourceTemplates')).toEqual([]);
    expect(table.withheld.map(({ name, reason }) => `${name} ${reason}`)).toEqual([
      '#1 malformed',
      '#2 malformed',
      '#3 malformed',
      '#4 malformed',
      'x://{ malformed',
    ]);
  });
});
