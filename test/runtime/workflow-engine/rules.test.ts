/** Rules of workflows that no single field states: what templates see, which steps wait for which, and how a run handles odd values. */
import { describe, expect, test } from 'vitest';
import { asking, each, items, NO, output, run, type World } from './virtual-run.ts';

type Row = readonly [rule: string, yaml: string, world: World, expected: object];

const said = (template: string, more = '') =>
  `parameters: { type: object, properties: { p: {} } }, steps: [{ id: a, tool: t, ${more} arguments: { said: ${JSON.stringify(template)} } }]`;

describe('conditions', () => {
  const guarded = (condition: string) => `steps: [{ id: a, tool: t, condition: ${JSON.stringify(condition)} }]`;

  test.each(['', 'true', 'True', 'TRUE', '{{ eq 1 1 }}'])(
    'the condition "%s" runs a workflow step',
    async condition => {
      expect(await run(guarded(condition))).toMatchObject({ status: 'completed', states: { a: 'completed' } });
    },
  );
  test.each(['false', 'False', 'FALSE', '{{ and true false }}'])(
    'the condition "%s" skips a workflow step',
    async condition => {
      expect(await run(guarded(condition))).toMatchObject({ status: 'completed', states: { a: 'skipped' }, calls: [] });
    },
  );
  test.each([
    '1',
    '0',
    'yes',
    'no',
    ' true',
    'true\n',
    'tRUE',
    '{{ .params.none }}',
    '{{ if false }}{{ end }}',
    '{{ json 1 }}',
  ])('the condition "%s" is neither true nor false, and fails the workflow step', async condition => {
    expect(await run(guarded(condition))).toMatchObject({ failure: 'a template', calls: [] });
  });
});

const GRAPH: readonly Row[] = [
  [
    'steps after a skipped step and a step that failed with `continue` see the results of both',
    `steps: [
      { id: top, tool: t },
      { id: left, tool: t, dependsOn: [top], condition: "false", defaultResults: { from: skipped } },
      { id: right, tool: t, dependsOn: [top], onError: { action: continue }, defaultResults: { from: failed } },
      { id: end, tool: t, dependsOn: [left, right], arguments: {
        got: "{{ .steps.left.output.from }} {{ .steps.right.output.from }}",
        states: "{{ .steps.top.status }} {{ .steps.left.status }} {{ .steps.right.status }} {{ .steps.end.status }}" } }]`,
    { tools: { right: NO } },
    {
      status: 'completed',
      calls: [
        ['top', {}],
        ['right', {}],
        ['end', { got: 'skipped failed', states: 'completed skipped failed running' }],
      ],
    },
  ],
  [
    'a skipped step without `defaultResults` has no output',
    'steps: [{ id: a, tool: t, condition: "false" }, { id: b, tool: t, dependsOn: [a], arguments: { got: "{{ json .steps.a.output }}" } }]',
    {},
    { calls: [['b', { got: 'null' }]] },
  ],
  [
    'a step that ends the workflow stops the parallel steps',
    'steps: [{ id: bad, tool: t }, { id: slow, tool: t }, { id: next, tool: t, dependsOn: [slow] }]',
    { tools: { bad: NO, slow: 'never' } },
    { failure: 'bad call_failed', states: { bad: 'failed', slow: 'failed', next: 'pending' }, took: 1 },
  ],
  [
    'at most ten steps run at the same time',
    `steps: [${Array.from({ length: 25 }, (_, at) => `{ id: s${at}, tool: t }`).join()}]`,
    {},
    { status: 'completed', most: 10, took: 3 },
  ],
];

const RETRIES: readonly Row[] = [
  [
    'a step has at most eleven attempts',
    'steps: [{ id: a, tool: t, onError: { action: retry, retryCount: 50, retryDelay: 1ms } }]',
    { tools: { a: NO } },
    { failure: 'a call_failed', calls: Array.from({ length: 11 }, () => ['a', {}]) },
  ],
  [
    'the default pause before the first retry is a second',
    'steps: [{ id: a, tool: t, onError: { action: retry, retryCount: 1 } }]',
    { tools: { a: NO } },
    { failure: 'a call_failed', took: 1_002 },
  ],
  [
    'the timeout of a step ends its attempts, also in a pause',
    'steps: [{ id: a, tool: t, timeout: 5s, onError: { action: retry, retryCount: 9, retryDelay: 4s } }]',
    { tools: { a: NO } },
    {
      failure: 'a timeout',
      calls: [
        ['a', {}],
        ['a', {}],
      ],
      took: 5_000,
    },
  ],
  [
    'an attempt that hangs takes the time of all attempts',
    'steps: [{ id: a, tool: t, timeout: 5s, onError: { action: retry, retryCount: 9, retryDelay: 1s } }]',
    { tools: { a: 'never' } },
    { failure: 'a timeout', calls: [['a', {}]], took: 5_000 },
  ],
  [
    'a timeout is a failure of the step, after which `continue` proceeds',
    'steps: [{ id: a, tool: t, timeout: 5s, onError: { action: continue }, defaultResults: { from: none } }]',
    { tools: { a: 'never' } },
    { status: 'completed', output: null, outputs: { a: { from: 'none' } }, took: 5_000 },
  ],
  [
    'a template that cannot be rendered causes no call and no retry',
    'steps: [{ id: a, tool: t, onError: { action: retry, retryCount: 3 }, arguments: { a: "{{ index .params 1 }}" } }]',
    {},
    { failure: 'a template', calls: [], took: 0 },
  ],
];

const FAN_OUT: readonly Row[] = [
  [
    'a `forEach` over an empty list makes no call, and succeeds',
    each(),
    { input: items(0) },
    { status: 'completed', calls: [], output: { iterations: [], count: 0, completed: 0, failed: 0 } },
  ],
  [
    'the results of a `forEach` are in the order of the list, each with its outcome',
    each('onError: { action: continue },'),
    { input: { items: ['a', 'b'] }, tools: { each: call => (call === 1 ? NO : { structuredContent: { n: 2 } }) } },
    {
      output: {
        iterations: [
          { index: 0, item: 'a', status: 'failed', output: null, error: 'no' },
          { index: 1, item: 'b', status: 'completed', output: { n: 2 } },
        ],
        count: 2,
        completed: 1,
        failed: 1,
      },
    },
  ],
  [
    'an item of a `forEach` may be a list or an object',
    each('', 'arguments: { it: "{{ index .forEach.item 0 }}", all: "{{ json .forEach.item }}" }'),
    { input: { items: [[1, [2]], ['x']] } },
    {
      calls: [
        ['each', { it: '1', all: '[1,[2]]' }],
        ['each', { it: 'x', all: '["x"]' }],
      ],
    },
  ],
  [
    'the results of one `forEach` are the list of another',
    `parameters: { type: object, properties: { items: { type: array } } }, steps: [
      { id: first, type: forEach, collection: "{{ json .params.items }}", step: { id: one, tool: t } },
      { id: second, type: forEach, dependsOn: [first], collection: "{{ json .steps.first.output.iterations }}",
        step: { id: two, tool: t, arguments: { of: "{{ .forEach.item.output.from }} {{ .forEach.item.index }}" } } }]`,
    { input: items(2) },
    {
      calls: [
        ['first', {}],
        ['first', {}],
        ['second', { of: 'first 0' }],
        ['second', { of: 'first 1' }],
      ],
    },
  ],
  [
    'a `forEach` uses only `tool`, `arguments` and the retries of `onError` of its inner step',
    each(
      '',
      'condition: "false", dependsOn: [each], timeout: 1ns, defaultResults: {}, onError: { action: retry, retryCount: 1, retryDelay: 1s }',
    ),
    { input: items(1), tools: { each: call => (call === 1 ? NO : { structuredContent: { call } }) } },
    { status: 'completed', output: { iterations: [{ index: 0, item: 0, status: 'completed', output: { call: 2 } }] } },
  ],
  [
    '`continue` of the inner step records nothing',
    each('', 'onError: { action: continue }'),
    { input: items(1), tools: { each: NO } },
    { failure: 'each call_failed' },
  ],
  [
    'a `forEach` makes up to fifty calls at the same time, as `maxParallel` says',
    each('maxParallel: 50,'),
    { input: items(100) },
    { status: 'completed', most: 50, took: 2 },
  ],
  [
    'a `forEach` counts as one of the ten steps that run at the same time',
    `parameters: { type: object, properties: { items: { type: array } } }, steps: [
      ${Array.from({ length: 11 }, (_, at) => `{ id: s${at}, type: forEach, collection: "{{ json .params.items }}", step: { id: one, tool: t } }`).join()}]`,
    { input: items(2) },
    { status: 'completed', most: 20, took: 2 },
  ],
  [
    'the timeout of a `forEach` is for all items together',
    each('maxParallel: 1, timeout: 5ms,'),
    { input: items(9) },
    { failure: 'each timeout', took: 5 },
  ],
  ...[
    ['an object', { a: 1 }],
    ['a number', 3],
    ['null', null],
    ['true', true],
  ].map(
    ([what, value]): Row => [
      `a collection that is ${what} fails the step`,
      each(),
      { input: { items: value } },
      { failure: 'each collection', calls: [] },
    ],
  ),
  [
    'a collection that a template prints without `json` fails the step',
    'parameters: { type: object, properties: { items: { type: array } } }, steps: [{ id: each, type: forEach, collection: "{{ .params.items }}", step: { id: one, tool: t } }]',
    { input: items(2) },
    { failure: 'each collection', calls: [] },
  ],
];

const TEMPLATES: readonly Row[] = [
  ['a missing value prints as `<no value>`', said('{{ .params.p }}'), {}, { calls: [['a', { said: '<no value>' }]] }],
  [
    'a template does not see inherited members of JavaScript objects',
    said('{{ .params.constructor }} {{ .steps.toString }} {{ .params.p.__proto__ }}'),
    { input: { p: {} } },
    { calls: [['a', { said: '<no value> <no value> <no value>' }]] },
  ],
  [
    'a field below JSON null fails the step',
    said('{{ .params.p.q }}'),
    { input: { p: null } },
    { failure: 'a template', calls: [] },
  ],
  [
    'numbers print as in Go, and as JSON by `json`',
    said('{{ .params.p }} {{ json .params.p }}'),
    { input: { p: 12_345_678 } },
    { calls: [['a', { said: '1.2345678e+07 12345678' }]] },
  ],
  [
    '`json`, `quote` and `fromJson` work in templates',
    said('{{ json .params.p }} {{ quote "a\\"b" }} {{ (fromJson "{\\"a\\":[1,2]}").a }}'),
    { input: { p: { b: [1, '<'] } } },
    { calls: [['a', { said: expect.stringMatching(/^\{"b":\[1,"(?:<|\\u003c)"\]\} "a\\"b" \[1 2\]$/) }]] },
  ],
  [
    '`.workflow` has the data of the run',
    said(
      '{{ .workflow.id }} {{ .workflow.step_count }} {{ .workflow.status }} {{ .workflow.duration_ms }} {{ .workflow.start_time }}',
    ),
    {},
    { calls: [['a', { said: 'r 1 running 0 1970-01-01T00:00:00.000Z' }]] },
  ],
  [
    '`.steps` has the error of a failed step, and the content of a step that succeeded',
    `steps: [{ id: bad, tool: t, onError: { action: continue } }, { id: good, tool: t },
      { id: a, tool: t, dependsOn: [bad, good], arguments: { said: "{{ .steps.bad.error }} {{ (index .steps.good.content 0).type }}" } }]`,
    { tools: { bad: NO, good: { content: [{ type: 'text', text: 'x' }] } } },
    {
      calls: [
        ['bad', {}],
        ['good', {}],
        ['a', { said: 'no text' }],
      ],
    },
  ],
  [
    '`.forEach` has no value outside of a `forEach`',
    said('{{ .forEach }}'),
    {},
    { calls: [['a', { said: '<no value>' }]] },
  ],
];

const TYPES: readonly Row[] = (
  [
    ['text for a string parameter', ['string'], '{{ .params.p }}', 7, '7'],
    ['text if the parameter may be a string', ['integer', 'string'], '{{ .params.p }}', 7, '7'],
    ['a number', ['integer'], '{{ .params.p }}', 7, 7],
    ['a number from text', ['integer'], '{{ .params.p }}', '7', 7],
    ['a number of a million and more', ['integer'], '{{ .params.p }}', 1_000_000, 1_000_000],
    ['a number of many digits', ['integer'], '{{ .params.p }}', -123_456_789_012, -123_456_789_012],
    ['a fraction', ['number'], '{{ .params.p }}', 0.5, 0.5],
    ['true', ['boolean'], '{{ .params.p }}', true, true],
    ['a list', ['array'], '{{ json .params.p }}', [1, 'b'], [1, 'b']],
    ['an object', ['object'], '{{ json .params.p }}', { a: 1 }, { a: 1 }],
    ['null', ['integer', 'null'], '{{ json .params.p }}', null, null],
    ['unchanged text if it is not of the type', ['integer'], '{{ .params.p }}', 'many', 'many'],
    [
      'unchanged text if a number would lose digits',
      ['integer'],
      '{{ .params.p }}',
      '12345678901234567890',
      '12345678901234567890',
    ],
    ['unchanged text if a number would be infinite', ['number'], '{{ .params.p }}', '1e999', '1e999'],
  ] as const
).map(
  ([what, types, template, p, got]): Row => [
    `an argument is ${what}`,
    said(template),
    { input: { p }, types: { said: types } },
    { calls: [['a', { said: got }]] },
  ],
);

const OUTPUTS: readonly Row[] = [
  [
    'the texts of a tool are `text` and `text_1`, and its image is `image_0`',
    output('type: object, value: "{{ json .steps.a.output }}"'),
    {
      tools: {
        a: {
          content: [
            { type: 'text', text: 'one' },
            { type: 'image', data: 'aGk=', mimeType: 'image/png' },
            { type: 'text', text: 'two' },
            { type: 'resource_link', uri: 'memo://a' },
          ],
        },
      },
    },
    { output: { p: { text: 'one', image_0: 'aGk=', text_1: 'two', resource_link_0: 'memo://a' } } },
  ],
  [
    'structured content is the output of a step, whatever its content blocks contain',
    output('type: object, value: "{{ json .steps.a.output }}"'),
    { tools: { a: { structuredContent: { n: 1 }, content: [{ type: 'text', text: 'other' }] } } },
    { output: { p: { n: 1 } } },
  ],
  [
    'a default of a string property that is a number becomes text',
    output('type: string, value: "{{ .params.none.none }}", default: 5'),
    {},
    { output: { p: '5' } },
  ],
  [
    'output properties may be nested',
    'steps: [{ id: a, tool: t }], output: { properties: { o: { type: object, description: d, properties: { n: { type: integer, description: d, value: "3" }, l: { type: array, description: d, value: "[1]" } } } } }',
    {},
    { output: { o: { n: 3, l: [1] } } },
  ],
  ...(
    [
      ['boolean', 't', true],
      ['boolean', 'FALSE', false],
      ['number', '.5', 0.5],
      ['number', '-1e3', -1_000],
      ['integer', '+7', 7],
      ['integer', '1.5e+06', 1_500_000],
      ['array', '[]', []],
      ['object', '{}', {}],
      ['string', ' x ', ' x '],
    ] as const
  ).map(
    ([type, text, value]): Row => [
      `"${text}" is a ${type}`,
      output(`type: ${type}, value: ${JSON.stringify(text)}`),
      {},
      { output: { p: value } },
    ],
  ),
  ...(
    [
      ['boolean', 'yes'],
      ['integer', '1.5'],
      ['integer', '1e3'],
      ['integer', '1.5e+00'],
      ['integer', '{{ if false }}1{{ end }}'],
      ['integer', '9007199254740993'],
      ['number', 'NaN'],
      ['number', '1e999'],
      ['object', '[]'],
      ['object', 'null'],
      ['array', '{}'],
      ['array', '[1'],
      ['string', '{{ .steps.a.output.none }}'],
      ['string', '{{ index .steps.a.output.from 99 }}'],
    ] as const
  ).flatMap(([type, text]): Row[] => {
    const property = `type: ${type}, value: ${JSON.stringify(text)}`;
    const fallback = { boolean: true, integer: 5, number: 5.5, object: { d: 1 }, array: [5], string: 'd' }[type];
    return [
      [`"${text}" is no ${type}: without a default the run fails`, output(property), {}, { failure: '- output' }],
      [
        `"${text}" is no ${type}: the default stands for it`,
        output(`${property}, default: ${JSON.stringify(fallback)}`),
        {},
        { output: { p: fallback } },
      ],
    ];
  }),
];

const QUESTIONS: readonly Row[] = [
  [
    '`onError: continue` continues after a person has declined',
    asking('onError: { action: continue }, defaultResults: { action: none }'),
    { person: 'decline' },
    { status: 'completed', states: { ask: 'failed', after: 'completed' }, outputs: { ask: { action: 'none' } } },
  ],
  ...(['decline', 'cancel'] as const).flatMap(action => {
    const route = action === 'decline' ? 'onDecline' : 'onCancel';
    const other = action === 'decline' ? 'onCancel' : 'onDecline';
    const reason = action === 'decline' ? 'declined' : 'dismissed';
    return [
      [
        `\`${route}: abort\` ends the run`,
        asking(`${route}: { action: abort }, ${other}: { action: continue }`),
        { person: action },
        { failure: `ask ${reason}`, calls: [] },
      ],
      [
        `\`${route}: continue\` continues, and \`${other}\` has no effect`,
        asking(`${route}: { action: continue }, ${other}: { action: abort }`),
        { person: action },
        { status: 'completed', outputs: { ask: { action } }, calls: [['after', {}]] },
      ],
      [
        `\`${route}: skip_remaining\` ends with success and lists the skipped steps`,
        asking(`${route}: { action: skip_remaining }, ${other}: { action: abort }`),
        { person: action },
        { status: 'completed', output: { action, skipped: true }, states: { after: 'skipped' }, calls: [] },
      ],
    ] as Row[];
  }),
  [
    '`skip_remaining` lets running steps end, and starts no further step in any branch',
    `steps: [
      { id: ask, type: elicitation, message: m, schema: { type: object }, onDecline: { action: skip_remaining } },
      { id: beside, tool: t }, { id: below, tool: t, dependsOn: [beside], defaultResults: { from: none } }]`,
    { person: 'decline' },
    {
      status: 'completed',
      states: { ask: 'completed', beside: 'completed', below: 'skipped' },
      outputs: { below: { from: 'none' } },
    },
  ],
  [
    '`skip_remaining` also skips steps that wait for their turn',
    `steps: [
      ${Array.from({ length: 9 }, (_, at) => `{ id: s${at}, tool: t }`).join()},
      { id: ask, type: elicitation, message: m, schema: { type: object }, onDecline: { action: skip_remaining } },
      { id: late, tool: t }]`,
    { person: 'decline' },
    { status: 'completed', states: { s0: 'completed', ask: 'completed', late: 'skipped' } },
  ],
  [
    'two branches ask a person at the same time, and each branch gets its own answer',
    `steps: [
      { id: one, type: elicitation, message: m, schema: { type: object } },
      { id: two, type: elicitation, message: m, schema: { type: object }, onDecline: { action: continue } },
      { id: a, tool: t, dependsOn: [one, two], arguments: { got: "{{ .steps.one.output.content.n }} {{ .steps.two.output.action }}" } }]`,
    { person: { one: { action: 'accept', content: { n: 'x' } }, two: { action: 'decline' } } },
    { calls: [['a', { got: 'x decline' }]] },
  ],
  [
    'the timeout of the workflow also ends a question',
    `timeout: 3s, ${asking('onCancel: { action: continue }')}`,
    {},
    { failure: '- timeout', took: 3_000, calls: [] },
  ],
];

describe.each([
  ['order', GRAPH],
  ['further attempts', RETRIES],
  ['lists', FAN_OUT],
  ['templates', TEMPLATES],
  ['typed arguments', TYPES],
  ['output', OUTPUTS],
  ['people', QUESTIONS],
])('%s', (_, rows) => {
  test.each(rows)('a workflow run keeps this rule: %s', async (_rule, yaml, world, expected) => {
    expect(await run(yaml, world)).toMatchObject(expected);
  });
});
