import { type ApiObject, App, Chart } from 'cdk8s';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  Backend,
  bindTools,
  Caller,
  Condition,
  Gateway,
  Group,
  Incoming,
  t,
  Value,
  Workflow,
  WorkflowDefinition,
} from '../../../compiler/cdk8s/index.ts';
import { readOrigins } from '../../../compiler/cdk8s/origins.ts';
import { dryRun, fake } from '../../../testing/index.ts';
import { compiled } from '../../support/compiled-chart.ts';
import { temporaryFolder } from '../../support/process.ts';
import { github, LOCK_JSON, LOCK_TYPES, OFFERS } from './lock.ts';

const tools = bindTools(github);

function world() {
  const chart = new Chart(new App(), 'world', { disableResourceNameHashes: true });
  const group = new Group(chart, 'tools');
  const backend = {
    group,
    transport: 'streamable-http',
    remoteUrl: 'https://github.example.com/mcp',
    locked: github,
  } as const;
  Backend.entry(chart, 'github', backend);
  const gateway = new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() });
  return { chart, gateway };
}

/** A workflow with every feature. */
function everything(gateway: Gateway) {
  const wf = new Workflow(gateway, 'triage', {
    description: 'Sorts issues',
    input: {
      repo: 'string',
      limit: { type: 'integer', default: 1234567 },
      note: 'string?',
      urgent: 'boolean',
      labels: 'string[]',
    },
    timeout: '20m',
  });
  const { repo, limit, note, urgent, labels } = wf.input;
  const found = wf.step(
    'search',
    tools.search,
    { query: t`repo:${repo} {{is}}:open {${limit}}`, page: limit, labels, order: 'asc' },
    { onError: { retry: 2, delay: '1s' }, timeout: '1m' },
  );
  const file = wf.step('file', tools.read_file, { path: 'docs/{{odd}}.md' });
  const first = wf.step(
    'first-issue',
    tools.create_issue,
    {
      title: t`${found.output.items[0].title} at ${found.output.items[0]['html-url']} of ${found.output.total}`,
      count: found.output.total,
      urgent,
      labels: [t`for ${repo}`, found.output.items[0].state, 'plain'],
      parent: { number: found.output.items[0].number },
    },
    {
      when: Condition.and(
        Condition.gt(found.output.total, 0),
        Condition.ne(found.output.items[0].body, 'none'),
        Condition.not(Condition.exists(note)),
      ),
      defaultResults: { number: 0 },
      after: [file],
    },
  );
  const each = wf.forEach(
    'label',
    found.output.items,
    tools.create_issue,
    (issue, index) => ({ title: t`${index}: ${issue.title}`, parent: { number: issue.number } }),
    { maxParallel: 2, maxIterations: 50 },
  );
  const sure = wf.ask('confirm', t`Keep ${each.output.count} of ${first.output.number}?`, {
    reason: 'string',
    silent: { type: 'boolean' },
  });
  wf.step(
    'last',
    tools.create_issue,
    { title: sure.output.content.reason, count: Value.withDefault(found.output.next.page, 7) },
    { when: Condition.or(Condition.ge(each.output.count, 1), sure.output.content.silent) },
  );
  wf.returns(
    {
      total: { type: 'integer', description: 'Open issues', value: found.output.total },
      note: { type: 'string', description: 'The note', value: note, default: 'none' },
      text: { type: 'string', description: 'The file', value: file.output.text },
      made: {
        type: 'object',
        description: 'What was made',
        properties: {
          numbers: {
            type: 'array',
            description: 'Numbers',
            value: [first.output.number, each.output.iterations[0].output.number],
          },
        },
      },
    },
    { required: ['total'] },
  );
  return wf;
}

test('a workflow construct with all features compiles without findings to the expected manifest', async () => {
  const { chart, gateway } = world();
  const wf = everything(gateway);
  const { yaml, findings } = compiled(chart, OFFERS);
  // This gateway grants nothing, because other tests are about who calls what.
  expect(findings.filter(finding => /^LNT[17]/.test(finding))).toEqual([]);
  expect(wf.render().steps.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
    ['search', undefined],
    ['file', undefined],
    ['first-issue', ['search', 'file']],
    ['label', ['search']],
    ['confirm', ['first-issue', 'label']],
    ['last', ['search', 'label', 'confirm']],
  ]);
  await expect(yaml).toMatchFileSnapshot('triage.expected.yaml');
});

test('the engine of the gateway runs a workflow that a construct wrote', async () => {
  const { chart, gateway } = world();
  everything(gateway);
  await using folder = await temporaryFolder({ 'lintel.lock.json': LOCK_JSON });
  const issue = (number: number, title: string) =>
    ({ number, title, 'html-url': `https://x/${number}`, state: 'open', body: null }) as const;
  const run = await dryRun(chart, 'triage', {
    cwd: folder.path,
    input: { repo: 'a{{b', urgent: true, labels: ['x', 'y'] },
    tools: [
      fake(tools.search, { total: 7654321, items: [issue(12345678, 'One {{'), issue(2, '2')] }),
      fake(tools.read_file, { text: 'read' } as never),
      fake(tools.create_issue, ({ count = 0 }) => ({ number: count + 1 })),
    ],
    answers: { confirm: { action: 'accept', content: { reason: '5', silent: false } } },
  });
  expect([run.status, run.error]).toEqual(['completed', undefined]);
  expect(
    Object.fromEntries(run.calls.map(call => [`${call.step} ${call.arguments.title ?? ''}`, call.arguments])),
  ).toEqual({
    'search ': { query: 'repo:a{{b {{is}}:open {1234567}', page: 1234567, labels: ['x', 'y'], order: 'asc' },
    'file ': { path: 'docs/{{odd}}.md' },
    'first-issue One {{ at https://x/12345678 of 7654321': {
      title: 'One {{ at https://x/12345678 of 7654321',
      count: 7654321,
      urgent: true,
      labels: ['for a{{b', 'open', 'plain'],
      parent: { number: 12345678 },
    },
    'label 0: One {{': { title: '0: One {{', parent: { number: 12345678 } },
    'label 1: 2': { title: '1: 2', parent: { number: 2 } },
    'last 5': { title: '5', count: 7 },
  });
  expect(run.questions).toEqual([{ step: 'confirm', message: 'Keep 2 of 7654322?' }]);
  expect(run.output).toEqual({ total: 7654321, note: 'none', text: 'read', made: { numbers: [7654322, 1] } });
});

test('the WorkflowDefinition construct writes a separate object, to which gateways refer', () => {
  const { chart, gateway } = world();
  const wf = new WorkflowDefinition(chart, 'report', {
    description: 'Reports',
    name: 'report_issues',
    input: { repo: 'string' },
  });
  wf.step('search', tools.search, { query: wf.input.repo });
  gateway.addOwnTool(wf);
  gateway.grant(Caller.any()).call(wf);
  const { caller, findings } = compiled(chart, OFFERS);
  expect(findings.filter(finding => /^LNT[17]/.test(finding))).toEqual([]);
  expect(caller('eng').canCall('report_issues')).toBeDefined();
  const object = chart.toJson().find(({ kind }) => kind === 'VirtualMCPCompositeToolDefinition');
  expect(object).toEqual({
    apiVersion: 'lintel.dev/v1beta1',
    kind: 'VirtualMCPCompositeToolDefinition',
    metadata: { name: 'report' },
    spec: {
      name: 'report_issues',
      description: 'Reports',
      parameters: { type: 'object', properties: { repo: { type: 'string' } }, required: ['repo'] },
      steps: [{ id: 'search', tool: 'github.search', arguments: { query: '{{.params.repo}}' } }],
    },
  });
});

test('a workflow construct records for each field of its manifest the argument of the program that set the field', () => {
  const { chart } = world();
  const wf = new WorkflowDefinition(chart, 'report', { description: 'Reports', input: { repo: 'string' } });
  wf.step('search', tools.search, { query: wf.input.repo }, { timeout: '1m' });
  chart.toJson();
  const object = wf.node.findChild('Resource') as ApiObject;
  const places = Object.fromEntries(readOrigins(object).map(({ pointer, callSite }) => [pointer, callSite.argument]));
  expect(places).toMatchObject({
    '/metadata/name': [1],
    '/spec/name': [1],
    '/spec/parameters': [2, 'input'],
    '/spec/steps/0': [],
    '/spec/steps/0/id': [0],
    '/spec/steps/0/tool': [1],
    '/spec/steps/0/arguments/query': [2, 'query'],
    '/spec/steps/0/timeout': [3, 'timeout'],
  });
  for (const { pointer, callSite } of readOrigins(object)) {
    if (pointer.startsWith('/spec')) expect(callSite.stack.split('\n')[1], pointer).toContain('workflows.test.ts');
  }
});

test("the list of workflows in a gateway's manifest is traced to the line of the program that adds the first workflow", () => {
  const { chart, gateway } = world();
  for (const id of ['first', 'second']) {
    new Workflow(gateway, id, { description: id }).step('search', tools.search, { query: '' });
  }
  chart.toJson();
  const origins = readOrigins(gateway.node.findChild('Resource') as ApiObject);
  const stackOf = (place: string) =>
    origins.find(({ pointer }) => pointer === `/spec/config/compositeTools${place}`)?.callSite.stack;
  expect(stackOf('')).toBe(stackOf('/0'));
  expect(stackOf('')).toContain('workflows.test.ts');
});

test.each([
  ['two steps of one id', (wf: Wf) => wf.step('a', tools.search, { query: '' }), 'workflow "w" has a step "a" already'],
  ['an empty step id', (wf: Wf) => wf.step('', tools.search, { query: '' }), 'the id of a step is empty'],
  [
    'a value of another workflow',
    (wf: Wf, other: Wf) => wf.step('b', tools.search, { query: other.input.x }),
    'workflow "w" is given a value of another workflow',
  ],
  [
    'a step of another workflow',
    (wf: Wf, other: Wf) =>
      wf.step('b', tools.search, { query: '' }, { after: [other.step('s', tools.search, { query: '' })] }),
    'workflow "w" is given a value of another workflow',
  ],
  [
    'two calls of returns',
    (wf: Wf) => [1, 2].map(() => wf.returns({ x: { type: 'string', description: 'x', value: wf.input.x } })),
    'workflow "w" has an output already',
  ],
  [
    'the item of a forEach outside of the forEach',
    (wf: Wf) => {
      let stolen = wf.input.x;
      wf.forEach('b', wf.input.list, tools.search, item => {
        stolen = item;
        return { query: item };
      });
      wf.step('c', tools.search, { query: stolen });
    },
    'the item of a forEach has a value only in the arguments of its own step',
  ],
  [
    'more than 100 steps',
    (wf: Wf) => Array.from({ length: 100 }, (_, at) => wf.step(`s${at}`, tools.search, { query: '' })),
    'a workflow has 100 steps at most',
  ],
])('a workflow construct throws at %s', (_, misuse, message) => {
  const { chart } = world();
  const [wf, other] = [define(chart, 'w'), define(chart, 'other')];
  expect(() => misuse(wf, other)).toThrow(message);
});

function define(chart: Chart, id: string) {
  const wf = new WorkflowDefinition(chart, id, { description: 'x', input: { x: 'string', list: 'string[]' } });
  wf.step('a', tools.search, { query: '' });
  return wf;
}
type Wf = ReturnType<typeof define>;

test('a workflow construct accepts a zod schema as its input', () => {
  const { chart } = world();
  const input = z.object({ repo: z.string().describe('Where'), limit: z.number().int().max(50).default(3) });
  const wf = new WorkflowDefinition(chart, 'w', { description: 'x', input });
  wf.step('a', tools.search, { query: wf.input.repo, page: Value.withDefault(wf.input.limit, 1) });
  const { parameters, steps } = wf.render();
  expect(parameters).toEqual({
    type: 'object',
    properties: {
      repo: { type: 'string', description: 'Where' },
      limit: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: 50, default: 3 },
    },
    required: ['repo'],
  });
  expect(steps[0]?.arguments?.query).toBe('{{.params.repo}}');
});

test('a workflow construct without steps is invalid', () => {
  const { chart } = world();
  new WorkflowDefinition(chart, 'w', { description: 'x' });
  expect(chart.node.findChild('w').node.validate()).toEqual(['the workflow has no steps']);
});

test('the typed lock of these tests equals the lock that lintel generates', async () => {
  const script = ts.transpileModule(LOCK_TYPES, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2024 },
  });
  const source = script.outputText.replace(/^import .*$/m, 'const lockedBackend = locked => locked;');
  const { catalog } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`);
  expect(catalog).toEqual({ github });
});
