import { expect, test } from 'vitest';
import type { CatalogItem } from '#schemas';
import { entries, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const REQUIRED = { execution: { taskSupport: 'required' } };
const CLIENTS = 'LNT3028 hint 16:19 clients without sessions (MCP 2026-07-28) cannot call';

test.each<[string, Record<string, CatalogItem>, string[], string?]>([
  ['no tools with task support', { a: {}, b: { execution: {} }, c: { execution: 'required' } }, []],
  [
    'optional and forbidden task support',
    { a: { execution: { taskSupport: 'optional' } }, b: { execution: { taskSupport: 'forbidden' } } },
    [],
  ],
  [
    'one tool with required task support',
    { a: {}, run: REQUIRED },
    [`${CLIENTS} "run" of "a", which runs as a task only`],
  ],
  [
    'two tools with required task support',
    { build: REQUIRED, run: REQUIRED },
    [`${CLIENTS} "build" and "run" of "a", which run as tasks only`],
  ],
  ['required task support before MCP 2025-11-25', { run: REQUIRED }, [], '2025-06-18'],
  ['required task support in MCP 2026-07-28', { run: REQUIRED }, [], '2026-07-28'],
])('the rule taskOnlyTool gives the expected findings for %s', (_, tools, expected, protocolVersion = '2025-11-25') => {
  const offer = { protocolVersion, tools: Object.entries(tools).map(([name, tool]) => ({ ...tool, name })) };
  expect(judge('taskOnlyTool', [gatewayConfig('{}'), entries('a')], { [formatBackendKey('a')]: offer })).toEqual(
    expected,
  );
});

test('the rule taskOnlyTool checks no hidden tool and no backend without a tool lock', () => {
  const hidden = gatewayConfig('{ aggregation: { excludeAllTools: true } }');
  const offers = { [formatBackendKey('a')]: { tools: [{ ...REQUIRED, name: 'run' }] } };
  expect(judge('taskOnlyTool', [hidden, entries('a')], offers)).toEqual([]);
  expect(judge('taskOnlyTool', [gatewayConfig('{}'), entries('a', 'b')], {})).toEqual([]);
});

test('a workflow step that calls a tool with required task support gives LNT3028, even if the tool is hidden', () => {
  const steps = '[{ id: run, tool: a.run }, { id: other, tool: a.other }]';
  const config = `{ aggregation: { excludeAllTools: true }, compositeTools: [{ name: w, description: d, steps: ${steps} }] }`;
  const offers = { [formatBackendKey('a')]: { tools: [{ ...REQUIRED, name: 'run' }, 'other'] } };
  expect(judge('taskOnlyTool', [gatewayConfig(config), entries('a')], offers)).toEqual([
    expect.stringMatching(
      /^LNT3028 warning 7:\d+ "run" of "a" runs as a task only, and steps do not call tools as tasks: the step fails$/,
    ),
  ]);
});
