import { expect, test } from 'vitest';
import type { CatalogItem } from '#schemas';
import { entries, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const REQUIRED = { execution: { taskSupport: 'required' } };
const CLIENTS = 'LNT3028 hint 16:19 clients without sessions (MCP 2026-07-28) cannot call';

test.each<[string, Record<string, CatalogItem>, string[], string?]>([
  ['none', { a: {}, b: { execution: {} }, c: { execution: 'required' } }, []],
  [
    'tasks as well',
    { a: { execution: { taskSupport: 'optional' } }, b: { execution: { taskSupport: 'forbidden' } } },
    [],
  ],
  ['one', { a: {}, run: REQUIRED }, [`${CLIENTS} "run" of "a", which runs as a task only`]],
  ['several', { build: REQUIRED, run: REQUIRED }, [`${CLIENTS} "build" and "run" of "a", which run as tasks only`]],
  ['of a revision before tasks', { run: REQUIRED }, [], '2025-06-18'],
  ['of the revision after', { run: REQUIRED }, [], '2026-07-28'],
])('tasks only: %s', (_, tools, expected, protocolVersion = '2025-11-25') => {
  const offer = { protocolVersion, tools: Object.entries(tools).map(([name, tool]) => ({ ...tool, name })) };
  expect(judge('taskOnlyTools', [gatewayConfig('{}'), entries('a')], { [formatBackendKey('a')]: offer })).toEqual(
    expected,
  );
});

test('a hidden tool gives no finding, and a backend that is not locked is not checked', () => {
  const hidden = gatewayConfig('{ aggregation: { excludeAllTools: true } }');
  const offers = { [formatBackendKey('a')]: { tools: [{ ...REQUIRED, name: 'run' }] } };
  expect(judge('taskOnlyTools', [hidden, entries('a')], offers)).toEqual([]);
  expect(judge('taskOnlyTools', [gatewayConfig('{}'), entries('a', 'b')], {})).toEqual([]);
});

test('a step calls plainly, hidden or not', () => {
  const steps = '[{ id: run, tool: a.run }, { id: other, tool: a.other }]';
  const config = `{ aggregation: { excludeAllTools: true }, compositeTools: [{ name: w, description: d, steps: ${steps} }] }`;
  const offers = { [formatBackendKey('a')]: { tools: [{ ...REQUIRED, name: 'run' }, 'other'] } };
  expect(judge('taskOnlyTools', [gatewayConfig(config), entries('a')], offers)).toEqual([
    expect.stringMatching(
      /^LNT3028 warning 7:\d+ "run" of "a" runs as a task only, and steps do not call tools as tasks: the step fails$/,
    ),
  ]);
});
