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
  test('renders arguments, and gives the output of the last step', async () => {
    const done = await run({ parameters, steps: [find, note] }, { input: { place: 'Oslo' } });
    expect(done).toMatchObject({ status: 'completed', output: { name: 'n', uri: 'note:n' }, durationMs: 0 });
    expect(done.calls).toEqual([
      { step: 'find', tool: 'climate.search', arguments: { query: 'Oslo' } },
      { step: 'note', tool: 'notes.add', arguments: { title: 'Found', text: '2 cities' } },
    ]);
  });

  test('fills in the defaults of its parameters', async () => {
    expect((await run({ parameters, steps: [find] })).calls[0]?.arguments).toEqual({ query: 'Ber' });
  });

  test('builds its output, each property as its type', async () => {
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

  test('starts a step when those that it depends on have ended, while others still run', async () => {
    const slow = fake(TOOLS.cities, CITIES, { takesMs: 2_000 });
    const quick = { ...find, id: 'quick', tool: 'climate.monthly', arguments: { city: 'Bern' } };
    const after = { ...note, dependsOn: ['quick'], arguments: { title: '{{.steps.find.status}}', text: 'x' } };
    const done = await run({ parameters, steps: [find, quick, after] }, { tools: [slow, monthly, add] });
    expect(done.calls.map(({ step }) => step)).toEqual(['find', 'quick', 'note']);
    expect(done.calls.at(-1)?.arguments).toMatchObject({ title: 'running' });
    expect(done.durationMs).toBe(2_000);
  });

  test('starts a step behind the last of several that it depends on', async () => {
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
      'or goes on with its default results',
      { onError: { action: 'continue' }, defaultResults: { cities: [1] } },
      { status: 'completed' },
    ],
  ];
  test.each(fails)('%s', async (_, step, expected) => {
    const done = await run({ parameters, steps: [{ ...find, ...step }, note] }, { tools: [broken, add] });
    expect(done).toMatchObject(expected);
    expect(done.steps.find).toMatchObject({ status: 'failed', error: 'no such index' });
    expect(done.calls.map(call => call.arguments.text)).toEqual(
      done.status === 'failed' ? [undefined] : [undefined, '1 cities'],
    );
  });

  const retry = { ...find, onError: { action: 'retry', retryCount: 3, retryDelay: '2s' } };
  test('is tried again, after longer and longer delays', async () => {
    const flaky = failing(TOOLS.cities, 'busy', { times: 3, answer: CITIES });
    const done = await run({ parameters, steps: [retry] }, { tools: [flaky] });
    expect(done).toMatchObject({ status: 'completed', output: CITIES, durationMs: 2_000 + 3_000 + 4_500 });
    expect(done.calls).toHaveLength(4);
  });
  test('is tried as often as its count says, and not once more', async () => {
    const flaky = failing(TOOLS.cities, 'busy', { times: 4, answer: CITIES });
    const done = await run({ parameters, steps: [retry] }, { tools: [flaky] });
    expect([done.status, done.calls.length]).toEqual(['failed', 4]);
  });

  test('fails when it takes too long', async () => {
    const slow = fake(TOOLS.cities, CITIES, { takesMs: 60_000 });
    const done = await run({ parameters, steps: [{ ...find, timeout: '30s' }] }, { tools: [slow] });
    expect(done).toMatchObject({ status: 'failed', error: expect.stringContaining('30000 ms'), durationMs: 30_000 });
  });

  test('calls off the steps next to it', async () => {
    const slow = fake(TOOLS.monthly, { city: 'Bern', months: [] }, { takesMs: 60_000 });
    const beside = { id: 'beside', tool: 'climate.monthly', arguments: { city: 'Bern' } };
    const done = await run({ parameters, steps: [find, beside] }, { tools: [broken, slow] });
    expect(done).toMatchObject({ status: 'failed', durationMs: 0 });
  });

  test('fails with arguments that the tool refuses', async () => {
    const long = { ...find, arguments: { query: '{{range $i, $c := .steps}}{{end}}{{.params.place}}' } };
    const done = await run({ parameters, steps: [long] }, { input: { place: 'x'.repeat(101) } });
    expect(done.error).toContain('climate.search refuses its arguments: query must');
  });
});

test('a workflow that takes too long fails as a whole', async () => {
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
  test.each(cases)('%j: the step is %s', async (condition, status, error = '') => {
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

  test('calls once for each item, in its place', async () => {
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
  test('makes as many calls at a time as it says', async () => {
    const slow = fake(TOOLS.monthly, { city: 'x', months: [] }, { takesMs: 1_000 });
    const tools = [search, slow];
    expect((await run(steps({ maxParallel: 1 }), { tools })).durationMs).toBe(2_000);
    expect((await run(steps({ maxParallel: 2 }), { tools })).durationMs).toBe(1_000);
  });
  test('ends with the first failure', async () => {
    const done = await run(steps({ maxParallel: 1 }), { tools: [search, broken] });
    expect(done).toMatchObject({ status: 'failed', error: 'Workflow execution failed: step "each": no data' });
    expect(done.calls).toHaveLength(2);
  });
  test('records failures and continues if it says so', async () => {
    const done = await run(steps({ onError: { action: 'continue' } }), { tools: [search, broken] });
    expect(done.output).toMatchObject({ count: 2, completed: 0, failed: 2, iterations: [{ error: 'no data' }, {}] });
  });
  test('fails before any call for too many items', async () => {
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
      'is declined, and that is all right',
      { onDecline: { action: 'continue' } },
      { action: 'decline' },
      { status: 'completed', calls: [{ arguments: { query: 'decline' } }] },
    ],
    [
      'is dismissed, and the rest is left out',
      { onCancel: { action: 'skip_remaining' } },
      { action: 'cancel' },
      { status: 'completed', calls: [], steps: { find: { status: 'skipped' } } },
    ],
  ];
  test.each(cases)('%s', async (_, step, answer, expected) => {
    const answers = { ask: answer as { action: 'accept' } };
    const done = await run({ parameters, steps: [{ ...ask, ...step }, after] }, { answers });
    expect(done).toMatchObject(expected);
    expect(done.questions).toEqual([{ step: 'ask', message: 'Really Ber?' }]);
  });

  test('without an answer, or with one that no client would give, is an error of the test', async () => {
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
    ['a fake that nobody calls', { tools: [search, add] }, 'a fake of notes.add, which no step of "report" calls'],
    ['two fakes of one tool', { tools: [search, add, search] }, 'there are two fakes of climate.search'],
    [
      'an answer that nobody asks for',
      { answers: { fnd: { action: 'accept' } } },
      'an answer to "fnd", which is no step',
    ],
    [
      'input of another type',
      { input: { count: 'three' } },
      'the input of "report" does not fit its parameters: count',
    ],
  ];
  test.each(mistakes)('%s', async (_, settings, message) => {
    await expect(run(workflow, settings)).rejects.toThrow(message);
  });
  test('another name of a tool or step', async () => {
    await expect(dryRun(workflowChart(workflow), 'raport', { cwd: LOCKED })).rejects.toThrow(
      'there is no workflow "raport"; there are: report',
    );
  });
});

test('the answer of a fake may take its time', async () => {
  const later = fake(TOOLS.cities, () => new Promise(resolve => setTimeout(() => resolve(CITIES), 5)));
  expect(await run({ parameters, steps: [find] }, { tools: [later] })).toMatchObject({ output: CITIES, durationMs: 0 });
});
