import { describe, expect, test } from 'vitest';
import { type DryRun, type DryRunSettings, dryRun, failing, fake } from '../../testing/index.ts';
import { LOCKED, TOOLS, workflowChart } from '../support/workflow-chart.ts';

const CITIES = {
  cities: [
    { city: 'Bern', country: 'CH' },
    { city: 'Bergen', country: 'NO' },
  ],
};
const search = fake(TOOLS.cities, CITIES);
const add = fake(TOOLS.add, { name: 'n', uri: 'note:n' });
const monthly = fake(TOOLS.monthly, args => ({ city: (args as { city: string }).city, months: [] }));

function run(workflow: object, settings: DryRunSettings = {}): Promise<DryRun> {
  const text = JSON.stringify(workflow);
  const tools = [search, add, monthly].filter(({ backend, tool }) => text.includes(`"${backend}.${tool}"`));
  return dryRun(workflowChart(workflow), 'report', { cwd: LOCKED, tools, ...settings });
}

const find = { id: 'find', tool: 'climate.search', arguments: { query: '{{.params.place}}' } };
const note = {
  id: 'note',
  tool: 'notes.add',
  dependsOn: ['find'],
  arguments: { title: 'Found', text: '{{len .steps.find.output.cities}} cities' },
};
const parameters = {
  type: 'object',
  properties: { place: { type: 'string', default: 'Ber' }, count: { type: 'integer' } },
};
const input = { place: 'Ber' };

describe('a run', () => {
  test('dryRun renders the arguments of the steps, and gives the output of the last step', async () => {
    const done = await run({ parameters, steps: [find, note] }, { input: { place: 'Oslo' } });
    expect(done).toMatchObject({ status: 'completed', output: { name: 'n', uri: 'note:n' }, durationMs: 0 });
    expect(done.calls).toEqual([
      { step: 'find', tool: 'climate.search', arguments: { query: 'Oslo' } },
      { step: 'note', tool: 'notes.add', arguments: { title: 'Found', text: '2 cities' } },
    ]);
  });

  test('dryRun fills in the defaults of the workflow parameters', async () => {
    expect((await run({ parameters, steps: [find] })).calls[0]?.arguments).toEqual({ query: 'Ber' });
  });

  test('dryRun builds the output of the workflow, each property with its type', async () => {
    const property = (type: string, value: string, more = {}) => ({ type, description: 'It.', value, ...more });
    const output = {
      properties: {
        count: property('integer', '{{len .steps.find.output.cities}}'),
        first: property('object', '{{json (index .steps.find.output.cities 0)}}'),
        all: property('array', '{{json .steps.find.output.cities}}'),
        isMany: property('boolean', '{{gt (len .steps.find.output.cities) 1}}'),
        missing: property('string', '{{.steps.find.output.nothing}}', { default: 'none' }),
        nested: { type: 'object', description: 'It.', properties: { name: property('string', 'a{{.params.place}}') } },
      },
      required: ['count'],
    };
    expect((await run({ parameters, steps: [find], output })).output).toEqual({
      count: 2,
      first: { city: 'Bern', country: 'CH' },
      all: CITIES.cities,
      isMany: true,
      missing: 'none',
      nested: { name: 'aBer' },
    });
  });

  test('dryRun starts a step when the steps that it depends on have ended, while other steps still run', async () => {
    const slow = fake(TOOLS.cities, CITIES, { takesMs: 2_000 });
    const quick = { ...find, id: 'quick', tool: 'climate.monthly', arguments: { city: 'Bern' } };
    const after = { ...note, dependsOn: ['quick'], arguments: { title: '{{.steps.find.status}}', text: 'x' } };
    const done = await run({ parameters, steps: [find, quick, after] }, { tools: [slow, monthly, add] });
    expect(done.calls.map(({ step }) => step)).toEqual(['find', 'quick', 'note']);
    expect(done.calls.at(-1)?.arguments).toMatchObject({ title: 'running' });
    expect(done.durationMs).toBe(2_000);
  });

  test('dryRun starts a step after the last of the steps that it depends on', async () => {
    const slow = fake(TOOLS.cities, CITIES, { takesMs: 2_000 });
    const slower = fake(TOOLS.monthly, { city: 'Bern', months: [] }, { takesMs: 3_000 });
    const quick = { ...find, id: 'quick', tool: 'climate.monthly', arguments: { city: 'Bern' } };
    const both = {
      ...note,
      dependsOn: ['quick', 'find'],
      arguments: { title: 't', text: '{{.workflow.duration_ms}}' },
    };
    const done = await run({ parameters, steps: [both, quick, find] }, { tools: [slow, slower, add] });
    expect(done.calls.map(({ step }) => step)).toEqual(['quick', 'find', 'note']);
    expect(done.calls.at(-1)?.arguments).toMatchObject({ text: '3000' });
  });
});

describe('a step that fails', () => {
  const broken = failing(TOOLS.cities, 'no such index');
  const fails: readonly [what: string, step: object, expected: Partial<DryRun>][] = [
    ['ends the workflow', {}, { status: 'failed', error: 'Workflow execution failed: step "find": no such index' }],
    [
      'continues with its default results if onError says so',
      { onError: { action: 'continue' }, defaultResults: { cities: [1] } },
      { status: 'completed' },
    ],
  ];
  test.each(fails)('a step that fails in dryRun %s', async (_, step, expected) => {
    const done = await run({ parameters, steps: [{ ...find, ...step }, note] }, { tools: [broken, add] });
    expect(done).toMatchObject(expected);
    expect(done.steps.find).toMatchObject({ status: 'failed', error: 'no such index' });
    expect(done.calls.map(call => call.arguments.text)).toEqual(
      done.status === 'failed' ? [undefined] : [undefined, '1 cities'],
    );
  });

  const retry = { ...find, onError: { action: 'retry', retryCount: 3, retryDelay: '2s' } };
  test('dryRun repeats a failed step after growing delays', async () => {
    const flaky = failing(TOOLS.cities, 'busy', { times: 3, answer: CITIES });
    const done = await run({ parameters, steps: [retry] }, { tools: [flaky] });
    expect(done).toMatchObject({ status: 'completed', output: CITIES, durationMs: 2_000 + 3_000 + 4_500 });
    expect(done.calls).toHaveLength(4);
  });
  test('dryRun repeats a failed step at most as often as its retry count says', async () => {
    const flaky = failing(TOOLS.cities, 'busy', { times: 4, answer: CITIES });
    const done = await run({ parameters, steps: [retry] }, { tools: [flaky] });
    expect([done.status, done.calls.length]).toEqual(['failed', 4]);
  });

  test('a step that exceeds its timeout fails in dryRun', async () => {
    const slow = fake(TOOLS.cities, CITIES, { takesMs: 60_000 });
    const done = await run({ parameters, steps: [{ ...find, timeout: '30s' }] }, { tools: [slow] });
    expect(done).toMatchObject({ status: 'failed', error: expect.stringContaining('30000 ms'), durationMs: 30_000 });
  });

  test('a step that fails in dryRun cancels the steps that run at the same time', async () => {
    const slow = fake(TOOLS.monthly, { city: 'Bern', months: [] }, { takesMs: 60_000 });
    const beside = { id: 'beside', tool: 'climate.monthly', arguments: { city: 'Bern' } };
    const done = await run({ parameters, steps: [find, beside] }, { tools: [broken, slow] });
    expect(done).toMatchObject({ status: 'failed', durationMs: 0 });
  });

  test('a step whose arguments the tool refuses fails in dryRun', async () => {
    const long = { ...find, arguments: { query: '{{range $i, $c := .steps}}{{end}}{{.params.place}}' } };
    const done = await run({ parameters, steps: [long] }, { input: { place: 'x'.repeat(101) } });
    expect(done.error).toContain('climate.search refuses its arguments: query must');
  });
});

test('a workflow that exceeds its timeout fails as a whole in dryRun', async () => {
  const slow = fake(TOOLS.cities, CITIES, { takesMs: 120_000 });
  const done = await run({ parameters, timeout: '1m', steps: [find] }, { tools: [slow] });
  expect(done).toMatchObject({ status: 'failed', error: 'Workflow execution timeout exceeded', durationMs: 60_000 });
});

describe('a condition', () => {
  const cases: readonly [condition: string, status: string, error?: string][] = [
    ['{{eq .params.place "Ber"}}', 'completed'],
    ['{{eq .params.place "Oslo"}}', 'skipped'],
    ['TRUE', 'completed'],
    ['{{.params.place}}', 'failed', 'renders "Ber", which is neither'],
    ['{{if eq .params.place "Ber"}} true{{end}}', 'failed', 'neither'],
    ['{{.params.count}}', 'failed', '"<no value>", which is neither'],
  ];
  test.each(cases)('a step with the condition %j is %s in dryRun', async (condition, status, error = '') => {
    const { steps } = await run(
      { parameters, steps: [{ ...find, condition, defaultResults: { cities: [] } }] },
      { input },
    );
    expect(steps.find).toMatchObject({ status, error: expect.stringContaining(error) });
  });
});

describe('a repeated step', () => {
  const each = {
    id: 'each',
    type: 'forEach',
    dependsOn: ['find'],
    collection: '{{json .steps.find.output.cities}}',
    itemVar: 'place',
    step: { id: 'one', tool: 'climate.monthly', arguments: { city: '{{.forEach.index}} {{.forEach.place.city}}' } },
  };
  const steps = (more: object = {}) => ({ parameters, steps: [find, { ...each, ...more }] });
  const broken = failing(TOOLS.monthly, 'no data');

  test('a forEach step calls its tool once for each item, in the order of the items', async () => {
    const done = await run(steps());
    expect(done.output).toMatchObject({
      count: 2,
      completed: 2,
      failed: 0,
      iterations: [
        { index: 0, item: { city: 'Bern' }, status: 'completed', output: { city: '0 Bern' } },
        { index: 1, item: { city: 'Bergen' }, status: 'completed', output: { city: '1 Bergen' } },
      ],
    });
  });
  test('a forEach step makes at most maxParallel calls at the same time', async () => {
    const slow = fake(TOOLS.monthly, { city: 'x', months: [] }, { takesMs: 1_000 });
    const tools = [search, slow];
    expect((await run(steps({ maxParallel: 1 }), { tools })).durationMs).toBe(2_000);
    expect((await run(steps({ maxParallel: 2 }), { tools })).durationMs).toBe(1_000);
  });
  test('a forEach step ends with its first failure', async () => {
    const done = await run(steps({ maxParallel: 1 }), { tools: [search, broken] });
    expect(done).toMatchObject({ status: 'failed', error: 'Workflow execution failed: step "each": no data' });
    expect(done.calls).toHaveLength(2);
  });
  test('a forEach step with onError continue records failures and continues', async () => {
    const done = await run(steps({ onError: { action: 'continue' } }), { tools: [search, broken] });
    expect(done.output).toMatchObject({ count: 2, completed: 0, failed: 2, iterations: [{ error: 'no data' }, {}] });
  });
  test('a forEach step with more items than maxIterations fails before any call', async () => {
    const done = await run(steps({ maxIterations: 1 }));
    expect(done.error).toContain('2 items, at most 1');
    expect(done.calls).toHaveLength(1);
  });
});

describe('a question', () => {
  const ask = {
    id: 'ask',
    type: 'elicitation',
    message: 'Really {{.params.place}}?',
    schema: { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] },
  };
  const after = { ...find, dependsOn: ['ask'], arguments: { query: '{{.steps.ask.output.action}}' } };
  const cases: readonly [what: string, step: object, answer: object, expected: object][] = [
    [
      'is accepted',
      {},
      { action: 'accept', content: { sure: true } },
      { status: 'completed', calls: [{ arguments: { query: 'accept' } }] },
    ],
    ['is declined', {}, { action: 'decline' }, { status: 'failed', calls: [] }],
    [
      'is declined, and the workflow continues if onDecline says so',
      { onDecline: { action: 'continue' } },
      { action: 'decline' },
      { status: 'completed', calls: [{ arguments: { query: 'decline' } }] },
    ],
    [
      'is dismissed, and the remaining steps are skipped',
      { onCancel: { action: 'skip_remaining' } },
      { action: 'cancel' },
      { status: 'completed', calls: [], steps: { find: { status: 'skipped' } } },
    ],
  ];
  test.each(cases)('an elicitation step in dryRun %s', async (_, step, answer, expected) => {
    const answers = { ask: answer as { action: 'accept' } };
    const done = await run({ parameters, steps: [{ ...ask, ...step }, after] }, { answers });
    expect(done).toMatchObject(expected);
    expect(done.questions).toEqual([{ step: 'ask', message: 'Really Ber?' }]);
  });

  test('dryRun throws if an elicitation step has no answer or an answer that no client can give', async () => {
    const workflow = { parameters, steps: [ask] };
    await expect(run(workflow)).rejects.toThrow('step "ask" asks the person, and the test has no answer');
    const answers = { ask: { action: 'accept', content: { sure: 'yes' } } } as const;
    await expect(run(workflow, { answers: { aks: answers.ask } })).rejects.toThrow('did you mean "ask"?');
    await expect(run(workflow, { answers })).rejects.toThrow(
      'the answer to step "ask" is not one that a client can give: sure',
    );
  });
});

describe('mistakes of a test are thrown', () => {
  const workflow = { parameters, steps: [find] };
  const mistakes: readonly [what: string, settings: DryRunSettings, message: string][] = [
    ['a missing fake', { tools: [] }, 'step "find" calls climate.search, for which there is no fake'],
    [
      'a fake that gives another type',
      { tools: [fake(TOOLS.cities, { cities: 3 })] },
      "the fake of climate.search returns a result that does not fit the tool's output schema: cities",
    ],
    ['a fake that no step calls', { tools: [search, add] }, 'a fake of notes.add, which no step of "report" calls'],
    ['two fakes of one tool', { tools: [search, add, search] }, 'there are two fakes of climate.search'],
    [
      'an answer to a step that does not exist',
      { answers: { fnd: { action: 'accept' } } },
      'an answer to "fnd", which is no step',
    ],
    [
      'input of another type',
      { input: { count: 'three' } },
      'the input of "report" does not fit its parameters: count',
    ],
  ];
  test.each(mistakes)('dryRun throws for a mistake in the settings of a test: %s', async (_, settings, message) => {
    await expect(run(workflow, settings)).rejects.toThrow(message);
  });
  test('dryRun throws for an unknown workflow and suggests names', async () => {
    await expect(dryRun(workflowChart(workflow), 'raport', { cwd: LOCKED })).rejects.toThrow(
      'there is no workflow "raport"; there are: report',
    );
  });
});

test('a fake of dryRun may answer asynchronously', async () => {
  const later = fake(TOOLS.cities, () => new Promise(resolve => setTimeout(() => resolve(CITIES), 5)));
  expect(await run({ parameters, steps: [find] }, { tools: [later] })).toMatchObject({ output: CITIES, durationMs: 0 });
});
