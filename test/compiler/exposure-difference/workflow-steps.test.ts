/** How `lintel diff` reports changes within a workflow, and which of them it puts under the changes to look at first. */
import { describe, expect, test } from 'vitest';
import { diffExposures, type Exposure, renderDifferenceMarkdown, renderDifferencePretty } from '#compiler';
import { EXPOSURE_RENDERERS } from '../../../compiler/analysis/exposure/render/index.ts';
import type { Offers } from '../../support/gateway-rule.ts';
import { exposures } from '../exposure/sample.ts';

const SPECS = `
apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: ops }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: deploy }
spec: { groupRef: { name: ops }, remoteUrl: "https://deploy.example.com/mcp", transport: streamable-http }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: ops }
spec:
  groupRef: { name: ops }
  incomingAuth: { type: anonymous }
  config:
    compositeTools:
      - name: guarded
        description: Rolls back once the caller agrees.
        parameters: { type: object, properties: { app: { type: string } } }
        timeout: 10m
        steps:
          - { id: look, tool: deploy.status, arguments: { app: "{{ .params.app }}" } }
          - id: agree
            type: elicitation
            dependsOn: [look]
            message: "Roll back {{ .params.app }}?"
            schema: { type: object, properties: { confirm: { type: boolean } } }
            onDecline: { action: abort }
            onCancel: { action: abort }
          - id: roll
            tool: deploy.rollback
            dependsOn: [agree]
            condition: "{{ .steps.agree.output.content.confirm }}"
            arguments: { app: "{{ .params.app }}" }
          - id: note
            tool: deploy.note
            dependsOn: [roll]
            arguments: { page: "{{ .params.app }}", text: rolled back, urgent: true }
            onError: { action: continue }
          - id: tell
            type: forEach
            dependsOn: [look]
            collection: "{{ json .steps.look.output.watchers }}"
            step: { id: mail, type: tool, tool: deploy.history, arguments: { to: "{{ .forEach.item }}" } }
        output: { properties: { state: { type: string, value: "{{ .steps.look.output.state }}" } } }
`.trimStart();

const inputSchema = { type: 'object' };
const reads = { annotations: { readOnlyHint: true }, inputSchema };
const OFFERS: Offers = {
  'default/MCPServerEntry/deploy': {
    tools: [
      { name: 'status', ...reads },
      { name: 'history', ...reads },
      { name: 'rollback', inputSchema, annotations: { destructiveHint: true } },
      { name: 'note', inputSchema, annotations: { readOnlyHint: false, destructiveHint: false } },
    ],
    prompts: [],
    resources: [],
  },
};

function exposure(text: string): Exposure {
  const [only] = exposures(text, OFFERS);
  if (only === undefined) throw new Error('the sample has errors');
  return only;
}

const before = exposure(SPECS);

type Edit = readonly [from: string | RegExp, to: string];

function edited(edits: readonly Edit[]): Exposure {
  let text = SPECS;
  for (const [from, to] of edits) {
    const next = text.replace(from, to);
    if (next === text) throw new Error(`not in the sample: ${from}`);
    text = next;
  }
  return exposure(text);
}

/** The change of the workflow in the report of `lintel diff`. */
function workflowChange(edits: readonly Edit[], was = before) {
  const [difference] = diffExposures([was], [edited(edits)]);
  const change = difference?.changes.find(({ type }) => type === 'workflow');
  return {
    alarms: change?.alarms ?? [],
    effect: change?.effect,
    lines: (change?.aspects ?? [])
      .filter(({ name }) => name !== 'calls')
      .map(({ name, before, after }) => `${name}: ${before} -> ${after}`),
  };
}

const CONDITION = '            condition: "{{ .steps.agree.output.content.confirm }}"\n';
const AGREE = / {10}- id: agree\n[\s\S]*?(?= {10}- id: roll)/;

const CASES: readonly (readonly [
  what: string,
  edits: readonly Edit[],
  lines: readonly string[],
  alarms: readonly string[],
])[] = [
  [
    'a removed question',
    [
      [AGREE, ''],
      [CONDITION, ''],
      ['dependsOn: [agree]', 'dependsOn: [look]'],
    ],
    [
      'step agree: asks "Roll back {{.params.app}}?"; after look; onCancel abort; onDecline abort; schema of the answer {"properties":{"confirm":{"type":"boolean"}},"type":"object"} -> null',
      'step roll, condition: {{.steps.agree.output.content.confirm}} -> null',
      'step roll, dependsOn: agree -> look',
      'order of the steps: look, agree, tell, roll, note -> look, roll, tell, note',
    ],
    ['unasked'],
  ],
  [
    'a step that no longer waits for the question',
    [
      [CONDITION, ''],
      ['dependsOn: [agree]', 'dependsOn: [look]'],
    ],
    [
      'step roll, condition: {{.steps.agree.output.content.confirm}} -> null',
      'step roll, dependsOn: agree -> look',
      'order of the steps: look, agree, tell, roll, note -> look, agree, roll, tell, note',
    ],
    ['unasked'],
  ],
  [
    'a declined question that no longer stops the workflow',
    [['onDecline: { action: abort }', 'onDecline: { action: continue }']],
    ['step agree, onDecline: abort -> continue'],
    ['unasked'],
  ],
  [
    'a dismissed question that no longer stops the workflow',
    [['onCancel: { action: abort }', 'onCancel: { action: continue }']],
    ['step agree, onCancel: abort -> continue'],
    ['unasked'],
  ],
  [
    'a failed question that no longer stops the workflow',
    [
      [
        '            onCancel: {',
        '            onError: { action: continue }\n            defaultResults: { content: { confirm: false } }\n            onCancel: {',
      ],
    ],
    ['step agree, defaultResults: null -> {"content":{"confirm":false}}', 'step agree, onError: abort -> continue'],
    ['unasked'],
  ],
  [
    'a question that can be skipped',
    [
      [
        '            onCancel: {',
        '            condition: "{{ eq .params.app \\"a\\" }}"\n            defaultResults: { content: { confirm: false } }\n            onCancel: {',
      ],
    ],
    [
      'step agree, defaultResults: null -> {"content":{"confirm":false}}',
      'step agree, condition: null -> {{eq .params.app "a"}}',
    ],
    ['unasked'],
  ],
  [
    'a default answer for a question that was not asked',
    [
      [
        '            onCancel: {',
        '            defaultResults: { content: { confirm: true } }\n            onCancel: {',
      ],
    ],
    ['step agree, defaultResults: null -> {"content":{"confirm":true}}'],
    ['unasked'],
  ],
  [
    'a declined question that ends the workflow without an error',
    [['onDecline: { action: abort }', 'onDecline: { action: skip_remaining }']],
    ['step agree, onDecline: abort -> skip_remaining'],
    [],
  ],
  [
    'a removed condition',
    [[CONDITION, '']],
    ['step roll, condition: {{.steps.agree.output.content.confirm}} -> null'],
    ['unasked'],
  ],
  [
    'a condition that is always true',
    [[CONDITION, '            condition: "true"\n']],
    ['step roll, condition: {{.steps.agree.output.content.confirm}} -> true'],
    ['unasked'],
  ],
  [
    'a condition at a read-only step',
    [['            collection:', '            condition: "{{ eq .params.app \\"a\\" }}"\n            collection:']],
    ['step tell, condition: null -> {{eq .params.app "a"}}'],
    [],
  ],
  [
    'another text of a question',
    [['"Roll back {{ .params.app }}?"', '"All well?"']],
    ['step agree, question: Roll back {{.params.app}}? -> All well?'],
    [],
  ],
  [
    'another schema of an answer',
    [['type: boolean', 'type: string']],
    [
      'step agree, schema of the answer: {"properties":{"confirm":{"type":"boolean"}},"type":"object"} -> {"properties":{"confirm":{"type":"string"}},"type":"object"}',
    ],
    [],
  ],
  [
    'arguments that swap their values',
    [['page: "{{ .params.app }}", text: rolled back', 'page: on-call-runbook, text: "{{ .params.app }}"']],
    [
      'step note, argument page: {{.params.app}} -> on-call-runbook',
      'step note, argument text: rolled back -> {{.params.app}}',
    ],
    [],
  ],
  [
    'an argument with a Boolean instead of a text',
    [['urgent: true', 'urgent: "true"']],
    ['step note, argument urgent: true -> "true"'],
    [],
  ],
  [
    'another tool of a step',
    [['tool: deploy.status', 'tool: deploy.history']],
    ['step look, tool: deploy.status -> deploy.history'],
    ['otherCall', 'destructive'],
  ],
  [
    'a destructive tool in a forEach',
    [['tool: deploy.history', 'tool: deploy.rollback']],
    ['step tell, tool: deploy.history -> deploy.rollback'],
    ['otherCall', 'destructive'],
  ],
  [
    'a further call of the guarded tool without a question',
    [['        output:', '          - { id: again, tool: deploy.rollback }\n        output:']],
    ['step again: null -> calls deploy.rollback'],
    ['unasked', 'destructive'],
  ],
  [
    'a further read-only step',
    [['        output:', '          - { id: again, tool: deploy.status, dependsOn: [note] }\n        output:']],
    ['step again: null -> calls deploy.status; after note'],
    ['destructive'],
  ],
  [
    'retries of a step',
    [['onError: { action: continue }', 'onError: { action: retry, retryCount: 3, retryDelay: 2s }']],
    ['step note, onError: continue -> retry, 3 times at most, the first time after 2000 ms'],
    [],
  ],
  [
    'limits of a forEach',
    [
      [
        'type: forEach',
        'type: forEach\n            maxIterations: 7\n            maxParallel: 2\n            itemVar: one',
      ],
    ],
    ['step tell, itemVar: item -> one', 'step tell, maxIterations: 100 -> 7', 'step tell, maxParallel: 10 -> 2'],
    [],
  ],
  [
    'another list of a forEach',
    [['watchers', 'owners']],
    ['step tell, collection: {{json .steps.look.output.watchers}} -> {{json .steps.look.output.owners}}'],
    [],
  ],
  ['another timeout', [['timeout: 10m', 'timeout: 5m']], ['timeoutMs: 600000 -> 300000'], []],
  [
    'another output',
    [['.steps.look.output.state', '.params.app']],
    [
      'output state: {"type":"string","value":"{{.steps.look.output.state}}"} -> {"type":"string","value":"{{.params.app}}"}',
    ],
    [],
  ],
  ['other spaces in a template', [['"{{ .params.app }}" } }', '"{{.params.app}}" } }']], [], []],
];

describe('the exposure of a workflow', () => {
  const paths = (one: Exposure) =>
    EXPOSURE_RENDERERS.pretty({ gateways: [one], registries: [] }, { color: false })
      .split('\n')
      .flatMap(line => /guarded → .*? → deploy_(?:status|rollback|note|history)/.exec(line)?.[0] ?? []);

  test('the report of lintel exposure shows which steps of a workflow ask the caller for input before a tool is called', () => {
    expect(paths(before)).toEqual([
      'guarded → look → deploy_status',
      'guarded → asks the caller (agree) → roll → deploy_rollback',
      'guarded → asks the caller (agree) → note → deploy_note',
      'guarded → mail → deploy_history',
    ]);
  });

  test.each([
    ['onDecline: { action: abort }', 'onDecline: { action: continue }'],
    ['onCancel: { action: abort }', 'onCancel: { action: continue }'],
  ])("lintel exposure shows that a workflow may go on without the caller's consent if %s becomes %s", (from, to) => {
    expect(paths(edited([[from, to]]))[1]).toBe(
      'guarded → asks the caller (agree, and may go on without a yes) → roll → deploy_rollback',
    );
  });
});

describe('a change within a workflow', () => {
  test.each(CASES)(
    'lintel diff shows which part of a workflow changed, and the alarms that the change raises: %s',
    (_, edits, lines, alarms) => {
      const found = workflowChange(edits);
      expect(found.lines.toSorted()).toEqual(lines.toSorted());
      expect(found.alarms).toEqual(alarms);
    },
  );

  test('lintel diff raises no alarm for a question that is added to a workflow', () => {
    const [difference] = diffExposures(
      [
        edited([
          [CONDITION, ''],
          ['dependsOn: [agree]', 'dependsOn: [look]'],
          [AGREE, ''],
        ]),
      ],
      [before],
    );
    expect(difference?.changes.flatMap(({ alarms }) => alarms)).toEqual([]);
  });

  test('lintel diff reports no removed question if a step and its question are only renamed', () => {
    const edits: readonly Edit[] = [
      [/agree/g, 'consent'],
      [/\bid: roll\n/, 'id: undo\n'],
      ['dependsOn: [roll]', 'dependsOn: [undo]'],
      [CONDITION.replaceAll('agree', 'consent'), ''],
    ];
    const was = edited([[CONDITION, '']]);
    expect(workflowChange(edits, was).alarms).toEqual(['destructive']);
  });

  test('lintel diff reports a removed question before a destructive tool, even if an override calls the tool read-only', () => {
    const override =
      '  config:\n    aggregation: { tools: [{ workload: deploy, overrides: { rollback: { annotations: { readOnlyHint: true, destructiveHint: false } } } }] }\n';
    expect(
      workflowChange([
        ['  config:\n', override],
        [CONDITION, ''],
      ]).alarms,
    ).toContain('unasked');
  });

  test('lintel diff says why it lists a workflow under "Look at these first", in every format for people', () => {
    const found = diffExposures(
      [before],
      [edited([['onDecline: { action: abort }', 'onDecline: { action: continue }']])],
    );
    expect(renderDifferencePretty(found, { color: false })).toContain(
      [
        'Look at these first',
        '  ! default/ops: workflow guarded: fewer questions or conditions stop a step that may write or destroy',
        '      step agree, onDecline: abort → continue',
      ].join('\n'),
    );
    expect(renderDifferenceMarkdown(found, { color: false })).toContain(
      'fewer questions or conditions stop a step that may write or destroy<br>step agree, onDecline: abort → continue',
    );
  });

  test('lintel diff abbreviates a long workflow argument, but shows the changed part of it', () => {
    const long = `${'a'.repeat(900)} on `;
    const was = edited([['text: rolled back', `text: "${long}monday"`]]);
    const [line] = workflowChange([['text: rolled back', `text: "${long}friday"`]], was).lines;
    expect(line).toBe(`step note, argument text: … ${'a'.repeat(36)} on monday -> … ${'a'.repeat(36)} on friday`);
  });

  test.each([
    ['by the name of the argument', 'password: hunter2'],
    ['by the form of the value', 'text2: "Bearer abcdefghijklmnop0123456789"'],
    ['in a URL', 'to: "https://hooks.example.com/x?api_key=abcdef123456"'],
    ['inside of an object', 'headers: { authorization: abc-def }'],
    ['inside of a template', 'token: "{{ printf \\"%s\\" \\"hunter2\\" }}"'],
    ['that looks like a digest', `text2: "sha256:${'0'.repeat(64)}"`],
  ])('lintel diff and lintel exposure show a secret argument of a workflow only as a digest: %s', (_, argument) => {
    const one = edited([['urgent: true', argument]]);
    const secret = /hunter2|abcdefghijklmnop|abcdef123456|abc-def|0{64}/;
    expect(JSON.stringify(one)).not.toMatch(secret);
    const found = workflowChange([['urgent: true', argument]]);
    expect(found.lines.join('\n')).toMatch(/argument \w+: null -> .*sha256:[\da-f]{64}/);
  });

  test('lintel diff shows an argument of a workflow that is a template even if the name of the argument suggests a secret', () => {
    expect(workflowChange([['urgent: true', 'token: "{{ .params.token }}"']]).lines).toContain(
      'step note, argument token: null -> {{.params.token}}',
    );
  });

  test('lintel diff says unclassified for an exposure file of an old version, which wrote only a digest of the workflow steps', () => {
    const older = JSON.parse(JSON.stringify(before)) as { plan: { workflows: { steps: unknown }[] } };
    for (const workflow of older.plan.workflows) workflow.steps = 'sha256:0';
    const [difference] = diffExposures([older as unknown as Exposure], [before]);
    expect(difference?.classification).toBe('unclassified');
  });
});

describe('the timeout of a question', () => {
  const step = '            onCancel: { action: abort }';
  const timed = (timeout: string, action: string): readonly Edit[] => [
    [step, `            onCancel: { action: ${action} }\n            timeout: ${timeout}`],
  ];

  test.each([
    ['shorter, and the workflow continues without an answer', 'continue', '5m', '1s', ['unasked']],
    ['longer, and the workflow continues without an answer', 'continue', '1s', '5m', []],
    ['shorter, and the workflow ends without an answer', 'abort', '5m', '1s', []],
  ] as const)(
    'lintel diff raises the alarms $4 if the timeout of a question in a workflow becomes %s',
    (_, action, was, is, alarms) => {
      const change = workflowChange(timed(is, action), edited(timed(was, action)));
      expect(change).toMatchObject({ alarms, effect: 'mixed' });
      expect(change.lines).toEqual([expect.stringMatching(/^step agree, timeout/)]);
    },
  );
});
