/** Each rule and default of `compositeTools` at run time: specs in YAML, lowered into a plan, and run by the engine in virtual time. */
import { expect, test } from 'vitest';
import { asking, each, items, NO, output, run, type World } from './virtual-run.ts';

const MINUTE = 60_000;

const ROWS: readonly (readonly [rule: string, yaml: string, world: World, expected: object])[] = [
  ['`type` is `tool` when not given', 'steps: [{ id: a, tool: t }]', {}, { status: 'completed', calls: [['a', {}]] }],
  [
    'a step starts when its own dependencies are done',
    'steps: [{ id: slow, tool: t }, { id: a, tool: t }, { id: b, tool: t, dependsOn: [a] }], timeout: 1s',
    { tools: { slow: 'never' } },
    { states: { slow: 'failed', a: 'completed', b: 'completed' }, failure: '- timeout' },
  ],
  [
    'a step runs only if its condition is true',
    'steps: [{ id: a, tool: t, condition: "{{ eq 1 2 }}", defaultResults: { from: none } }, { id: b, tool: t, dependsOn: [a], arguments: { got: "{{ .steps.a.output.from }}" } }]',
    {},
    { states: { a: 'skipped', b: 'completed' }, calls: [['b', { got: 'none' }]] },
  ],
  [
    'a condition that is neither true nor false fails its step',
    'steps: [{ id: a, tool: t, condition: "yes" }]',
    {},
    { failure: 'a template', calls: [] },
  ],
  [
    '`onError` is `abort` when not given',
    'steps: [{ id: a, tool: t }, { id: b, tool: t, dependsOn: [a] }]',
    { tools: { a: NO } },
    { failure: 'a call_failed', states: { a: 'failed', b: 'pending' }, calls: [['a', {}]] },
  ],
  [
    '`continue` proceeds with `defaultResults`',
    'steps: [{ id: a, tool: t, onError: { action: continue }, defaultResults: { from: none } }, { id: b, tool: t, dependsOn: [a], arguments: { got: "{{ .steps.a.output.from }}" } }]',
    { tools: { a: NO } },
    {
      status: 'completed',
      states: { a: 'failed', b: 'completed' },
      outputs: { a: { from: 'none' }, b: { from: 'b' } },
    },
  ],
  [
    '`retry` repeats up to `retryCount`, with `retryDelay` before the first',
    'steps: [{ id: a, tool: t, onError: { action: retry, retryCount: 2, retryDelay: 10s } }]',
    { tools: { a: NO } },
    {
      failure: 'a call_failed',
      calls: [
        ['a', {}],
        ['a', {}],
        ['a', {}],
      ],
      took: 10_000 + 15_000 + 3,
    },
  ],
  [
    '`retry` ends with the first success',
    'steps: [{ id: a, tool: t, onError: { action: retry, retryCount: 5, retryDelay: 1s } }]',
    { tools: { a: call => (call === 1 ? { isError: true } : { structuredContent: { call } }) } },
    { status: 'completed', output: { call: 2 } },
  ],
  [
    'a step without `retry` has one attempt',
    'steps: [{ id: a, tool: t }]',
    { tools: { a: { isError: true } } },
    { failure: 'a tool_error', calls: [['a', {}]] },
  ],
  [
    'arguments expand at the first level only, and non-strings pass',
    'parameters: { type: object, properties: { q: { type: string } } }, steps: [{ id: a, tool: t, arguments: { top: "{{ .params.q }}", deep: { q: "{{ .params.q }}" }, list: [1, "{{ .params.q }}"], yes: true } }]',
    { input: { q: 'x' } },
    { calls: [['a', { top: 'x', deep: { q: '{{ .params.q }}' }, list: [1, '{{ .params.q }}'], yes: true }]] },
  ],
  [
    'parameters have their defaults',
    'parameters: { type: object, properties: { q: { type: string, default: d } } }, steps: [{ id: a, tool: t, arguments: { q: "{{ .params.q }}" } }]',
    {},
    { calls: [['a', { q: 'd' }]] },
  ],
  [
    'a step has five minutes by default',
    'steps: [{ id: a, tool: t }]',
    { tools: { a: 'never' } },
    { failure: 'a timeout', took: 5 * MINUTE },
  ],
  [
    'a step has its own `timeout`',
    'steps: [{ id: a, tool: t, timeout: 7s }]',
    { tools: { a: 'never' } },
    { failure: 'a timeout', took: 7_000 },
  ],
  [
    'a workflow has thirty minutes by default',
    'steps: [{ id: a, tool: t, timeout: 2h }]',
    { tools: { a: 'never' } },
    { failure: '- timeout', took: 30 * MINUTE },
  ],
  [
    'a workflow has its own `timeout`, for all steps together',
    'timeout: 3s, steps: [{ id: a, tool: t }]',
    { tools: { a: 'never' } },
    { failure: '- timeout', took: 3_000 },
  ],
  [
    'without `output` the last output is the result',
    'steps: [{ id: a, tool: t }, { id: b, tool: t, dependsOn: [a] }]',
    {},
    { output: { from: 'b' } },
  ],
  ['a property is of its `type`', output('type: integer, value: "42"'), {}, { output: { p: 42 } }],
  [
    'a property that cannot be expanded has its `default`, of its type',
    output('type: integer, value: "{{ .steps.a.output.none }}", default: "7"'),
    {},
    { output: { p: 7 } },
  ],
  [
    'a property without a default that cannot be expanded fails the workflow',
    output('type: integer, value: "many"'),
    {},
    { failure: '- output' },
  ],
  [
    'a property that `required` names must exist',
    output('type: object, value: "{{ json .steps.a.output.none }}", default: null', ', required: [p]'),
    {},
    { failure: '- output' },
  ],
  [
    '`itemVar` is `item` when not given, and `index` has the index',
    each('', 'arguments: { it: "{{ .forEach.item }} at {{ .forEach.index }}" }'),
    { input: { items: ['x'] } },
    { calls: [['each', { it: 'x at 0' }]] },
  ],
  [
    '`itemVar` names the item',
    each('itemVar: row,', 'arguments: { it: "{{ .forEach.row }}" }'),
    { input: { items: ['x'] } },
    { calls: [['each', { it: 'x' }]] },
  ],
  ['`maxIterations` is 100 when not given', each(), { input: items(101) }, { failure: 'each collection', calls: [] }],
  ['a hundred items are allowed by default', each(), { input: items(100) }, { status: 'completed' }],
  ['`maxIterations` may be 1,000', each('maxIterations: 1000,'), { input: items(1_000) }, { status: 'completed' }],
  [
    'a `forEach` with more items than `maxIterations` fails before any call',
    each('maxIterations: 1000,'),
    { input: items(1_001) },
    { failure: 'each collection', calls: [] },
  ],
  ['`maxParallel` is 10 when not given', each(), { input: items(30) }, { most: 10, took: 3 }],
  [
    '`maxParallel` limits the calls at the same time',
    each('maxParallel: 2,'),
    { input: items(6) },
    { most: 2, took: 3 },
  ],
  [
    'a collection that is no list fails the step',
    each(),
    { input: { items: 'x' } },
    { failure: 'each collection', calls: [] },
  ],
  [
    'the first failing item ends a `forEach`',
    each('maxParallel: 1,'),
    { input: items(3), tools: { each: NO } },
    { failure: 'each call_failed', most: 1 },
  ],
  [
    '`continue` records failing items',
    each('onError: { action: continue },'),
    { input: items(2), tools: { each: call => (call === 2 ? NO : {}) } },
    { status: 'completed', output: expect.objectContaining({ count: 2, completed: 1, failed: 1 }) },
  ],
  [
    'the answer of a person is the output of its step',
    asking(),
    { person: 'accept' },
    { status: 'completed', outputs: expect.objectContaining({ ask: { action: 'accept', content: { name: 'ann' } } }) },
  ],
  ['`onDecline` is `abort` when not given', asking(), { person: 'decline' }, { failure: 'ask declined', calls: [] }],
  ['`onCancel` is `abort` when not given', asking(), { person: 'cancel' }, { failure: 'ask dismissed', calls: [] }],
  [
    '`onDecline: continue` continues after a decline',
    asking('onDecline: { action: continue }'),
    { person: 'decline' },
    { status: 'completed', calls: [['after', {}]] },
  ],
  [
    '`onDecline: skip_remaining` skips the remaining steps',
    asking('onDecline: { action: skip_remaining }'),
    { person: 'decline' },
    { status: 'completed', states: { ask: 'completed', after: 'skipped' }, calls: [] },
  ],
  [
    '`onCancel: skip_remaining` skips the remaining steps',
    asking('onCancel: { action: skip_remaining }'),
    { person: 'cancel' },
    { status: 'completed', calls: [] },
  ],
  [
    'a person has five minutes to answer, and counts as having cancelled afterwards',
    asking(),
    {},
    { failure: 'ask dismissed', took: 5 * MINUTE },
  ],
  [
    'a person has at most ten minutes to answer',
    asking('timeout: 20m'),
    {},
    { failure: 'ask dismissed', took: 10 * MINUTE },
  ],
];

test.each(ROWS)(
  'the workflow engine follows this rule of the specification: %s',
  async (_rule, yaml, world, expected) => {
    expect(await run(yaml, world)).toMatchObject(expected);
  },
);
