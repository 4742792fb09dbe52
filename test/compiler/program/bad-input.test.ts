/** Programs that fail: each gives one finding, at its place in TypeScript. */
import { expect, test } from 'vitest';
import { type Files, line, ProgramWorld } from '../../support/program-world.ts';
import { type BadProgram, expectFindings, HEAD } from './bad-programs.ts';

const FAILING: readonly BadProgram[] = [
  [
    'throws an error',
    `throw new TypeError('no team');`,
    ['LNT1070 error app.ts:6:7 the program throws TypeError: no team'],
  ],
  ['throws a text', `throw 'no team';`, ['LNT1070 error app.ts:1:1 the program throws string: no team']],
  [
    'throws at synthesis',
    `import { Lazy } from 'cdk8s';
object('a', { data: Lazy.any({ produce: () => { throw new Error('too late'); } }) });`,
    ['LNT1070 error app.ts:7:55 the program throws Error: too late (at construct Eng/a)'],
  ],
  [
    'patches a missing field',
    `import { JsonPatch } from 'cdk8s';
object('a').addJsonPatch(
  JsonPatch.add('/data', {}),
  JsonPatch.remove('/nothing/here'),
);`,
    ['LNT1070 error app.ts:9:3 the program throws Error: /nothing is not there (at construct Eng/a)'],
  ],
  [
    'runs without end',
    'for (;;) {}',
    ['LNT1076 error app.ts:6:1 the program was still running after 12 s'],
    { limits: { deadlineMs: 12_000 } },
  ],
  [
    'waits for a promise without end',
    'await new Promise(() => {});',
    ['LNT1076 error app.ts:1:1 the program waits for a promise that nothing is left to settle'],
  ],
  [
    'exits with code 3',
    '\n  process.exit(3);',
    ['LNT1077 error app.ts:7:11 the program ends its process with exit code 3'],
  ],
  ['exits with code 0', 'process.exit();', ['LNT1077 error app.ts:6:9 the program ends its process with exit code 0']],
  [
    'is killed by a signal',
    `process.kill(process.pid, 'SIGKILL');`,
    ['LNT1093 error app.ts:1:1 the process of the program ended by SIGKILL'],
  ],
  [
    'gives more than the allowed size',
    `object('a', { data: { a: 'x'.repeat(3e6) } });`,
    ['LNT1017 error app.ts:1:1 the program gives more than 2 MB of objects'],
    { limits: { maxResultBytes: 2 * 1024 * 1024 } },
  ],
  [
    'leaves a rejection unhandled',
    `void Promise.reject(new RangeError('nobody'));\nawait new Promise(resolve => setTimeout(resolve, 10_000));`,
    ['LNT1089 error app.ts:6:21 a promise is rejected and nothing awaits it: RangeError: nobody'],
  ],
  [
    'leaves a rejection of an async function unhandled',
    `async function main() { await Promise.resolve(); throw new Error('boom'); }\nmain();`,
    ['LNT1089 error app.ts:6:56 a promise is rejected and nothing awaits it: Error: boom'],
  ],
  [
    'leaves a rejection unhandled at once',
    `async function load() { throw new Error('boom'); }\nload();`,
    ['LNT1089 error app.ts:6:31 a promise is rejected and nothing awaits it: Error: boom'],
  ],
  [
    'leaves a rejection unhandled at synthesis',
    `import { Lazy } from 'cdk8s';
object('a', { data: Lazy.any({ produce: () => { void Promise.reject(new Error('boom')); return {}; } }) });`,
    ['LNT1089 error app.ts:7:69 a promise is rejected and nothing awaits it: Error: boom'],
  ],
  [
    'throws in a timer',
    `object('a');\nsetTimeout(() => { throw new Error('late'); }, 5);`,
    ['LNT1070 error app.ts:7:26 the program throws Error: late'],
  ],
  [
    'sets a failing exit code',
    `async function main() { throw new Error('boom'); }\nmain().catch(() => { process.exitCode = 1; });`,
    ['LNT1077 error app.ts:1:1 the program says that it failed: it sets process.exitCode to 1'],
  ],
  [
    'leaves an interval running',
    `object('a');\nsetInterval(() => {}, 100);`,
    ['LNT1076 error app.ts:7:1 the program was still running after 12 s: a timer keeps it open'],
    { limits: { deadlineMs: 12_000 } },
  ],
  [
    'waits for a long timer',
    `import { setTimeout as sleep } from 'node:timers/promises';\nawait sleep(60_000);`,
    ['LNT1076 error app.ts:7:7 the program was still running after 12 s: a timer keeps it open'],
    { limits: { deadlineMs: 12_000 } },
  ],
  [
    'leaves a BroadcastChannel open',
    `new BroadcastChannel('teams');`,
    ['LNT1076 error app.ts:6:1 the program was still running after 12 s: a message port or channel keeps it open'],
    { limits: { deadlineMs: 12_000 } },
  ],
  [
    'has a construct that fails its validation',
    `object('a').node.addValidation({ validate: () => ['no data', 'no labels'] });`,
    ['LNT1086 error app.ts:5:52 Eng/a: no data', 'LNT1086 error app.ts:5:52 Eng/a: no labels'],
  ],
  [
    'has constructs that depend on each other',
    `const [a, b] = [object('a'), object('b')];\na.addDependency(b);\nb.addDependency(a);`,
    ['LNT1087 error app.ts:8:3 constructs depend on each other in a circle: Eng/a -> Eng/b -> Eng/a'],
  ],
  [
    'gives a function as a value',
    `object('a', { data: { list: [1, () => 2] } });`,
    ['LNT1088 error app.ts:6:33 Eng/a: /data/list/1 is a function, which JSON does not have'],
  ],
  [
    'gives NaN as a value',
    `object('a', { data: { 'a/b': Number('x') } });`,
    ['LNT1088 error app.ts:6:30 Eng/a: /data/a~1b is NaN, which JSON does not have'],
  ],
  [
    'gives a bigint as a value',
    `object('a', { data: { a: 1n } });`,
    ['LNT1088 error app.ts:6:26 Eng/a: /data/a is a bigint, which JSON does not have'],
  ],
  ['has a syntax error', 'const = 1;', ['LNT1071 error app.ts:6:7 Expected identifier but found "="']],
  [
    'has a syntax error after wide characters',
    `const 名 = '😀'; const = 1;`,
    ['LNT1071 error app.ts:6:22 Expected identifier but found "="'],
  ],
  ['imports a missing file', `import './teams.ts';`, ['LNT1073 error app.ts:6:8 there is no module "./teams.ts"']],
  [
    'imports a misspelt module of Lintel',
    `import 'lintel/cdk8';`,
    ['LNT1073 error app.ts:6:8 there is no module "lintel/cdk8"'],
  ],
  ['imports a missing package', `import 'left-pad';`, ['LNT1073 error app.ts:6:8 there is no module "left-pad"']],
  [
    'requires a missing module at run time',
    `const name = ['./no', 'thing.cjs'].join('');\nrequire(name);`,
    ["LNT1073 error app.ts:7:1 Cannot find module './nothing.cjs'"],
  ],
];

test.concurrent.each(FAILING)('lintel check reports a program that %s', (_name, body, expected, options) =>
  expectFindings(body, expected, options),
);

test.each<[string, Files, string]>([
  ['nothing', { 'app.ts': '' }, 'the program exports nothing, and no app was written by app.synth()'],
  [
    'no app',
    { 'app.ts': `export const team = 'eng';\nexport const make = (id: string) => id;\n` },
    'the program exports make, team, none of which is an App or a Chart, and no app was written by app.synth(); functions with parameters are not called: make',
  ],
])('lintel check reports a program that exports %s', async (_name, files, message) => {
  await using world = await ProgramWorld.with(files);
  expect((await world.run()).outcome.diagnostics.map(line)).toEqual([`LNT1078 error app.ts:1:1 ${message}`]);
});

test('the finding about a misspelt module of Lintel proposes the right module, and not an installation', async () => {
  await using world = await ProgramWorld.with({ 'app.ts': `import 'lintel/cdk8';\n` });
  const [found] = (await world.run()).outcome.diagnostics;
  expect(found).toMatchObject({ code: 'LNT1073', fix: 'did you mean "lintel/cdk8s"?' });
});

test('lintel check reports an exception in an imported file at the place that throws', async () => {
  await using world = await ProgramWorld.with({
    'app.ts': `import { team } from './lib/teams.ts';\nexport default team();\n`,
    'lib/teams.ts': `// teams\nexport function team(): never {\n  throw new Error('none');\n}\n`,
  });
  const { outcome, inputs } = await world.run();
  expect(outcome.diagnostics.map(line)).toEqual(['LNT1070 error lib/teams.ts:3:9 the program throws Error: none']);
  expect(inputs).toEqual([`${world.folder}/app.ts`, `${world.folder}/lib/teams.ts`]);
});

test.each<[what: string, body: string, circle: string, at: string, others: readonly string[]]>([
  [
    'objects',
    `const [a, b, c] = [object('a'), object('b'), object('c')];
a.addDependency(b);
b.addDependency(c);
c.node.addDependency(a);`,
    'Eng/a -> Eng/b -> Eng/c -> Eng/a',
    '9:8',
    ['8:3 Eng/b depends on Eng/c', '7:3 Eng/a depends on Eng/b'],
  ],
  [
    'charts, by their objects',
    `const other = new Chart(app, 'Other');
const [a, b] = [object('a'), new ApiObject(other, 'b', { apiVersion: 'v1', kind: 'ConfigMap' })];
a.addDependency(b);
other.addDependency(chart);`,
    'Eng -> Other -> Eng',
    '9:7',
    ['8:3 Eng depends on Other'],
  ],
  [
    'groups of constructs',
    `import { DependencyGroup } from 'constructs';
const [a, b] = [object('a'), object('b')];
a.addDependency(new DependencyGroup(b));
b.addDependency(new DependencyGroup(a));`,
    'Eng/a -> Eng/b -> Eng/a',
    '9:3',
    ['8:3 Eng/a depends on Eng/b'],
  ],
])(
  'lintel check reports a dependency cycle of %s at the call that closed the cycle',
  async (_what, body, circle, at, others) => {
    await using world = await ProgramWorld.with({ 'app.ts': `${HEAD}${body}\n` });
    const { diagnostics } = (await world.run()).outcome;
    expect(diagnostics.map(line)).toEqual([
      `LNT1087 error app.ts:${at} constructs depend on each other in a circle: ${circle}`,
    ]);
    const related = diagnostics[0]?.related?.map(({ range: { start }, message }) => {
      return `${start.line}:${start.column} ${message}`;
    });
    expect(related).toEqual(others);
  },
);

/** Constructs from a package that throw for their arguments. */
const VENDOR = `import { ApiObject, Lazy } from 'cdk8s';
const fail = () => { throw new RangeError('no such team'); };
const type = { apiVersion: 'v1', kind: 'ConfigMap' };
export class Eager extends ApiObject { constructor(scope, id) { super(scope, id, type); fail(); } }
export class Rendering extends ApiObject { constructor(scope, id) { super(scope, id, type); } toJson() { return fail(); } }
export class Late extends ApiObject { constructor(scope, id) { super(scope, id, { ...type, data: Lazy.any({ produce: fail }) }); } }
export class Checked extends ApiObject { constructor(scope, id) { super(scope, id, type); this.node.addValidation({ validate: fail }); } }
`;

test.each<[when: string, className: string, at: string]>([
  ['at construction', 'Eager', ''],
  ['at synthesis', 'Rendering', ' (at construct Eng/team)'],
  ['in a lazy value', 'Late', ' (at construct Eng/team)'],
  ['at validation', 'Checked', ' (at construct Eng/team)'],
])(
  "lintel check reports an exception of a package's construct %s at the call in the program",
  async (_when, className, at) => {
    await using world = await ProgramWorld.with({
      'app.ts': `${HEAD}import * as vendor from './vendor/node_modules/team/index.js';
object('before');
const Team = vendor.${className};
  new Team(chart, 'team');
`,
      'vendor/node_modules/team/index.js': VENDOR,
    });
    expect((await world.run()).outcome.diagnostics.map(line)).toEqual([
      `LNT1070 error app.ts:9:3 the program throws RangeError: no such team${at}`,
    ]);
  },
);

test('if a program exceeds the memory limit, lintel check reports the line of the program that allocates the memory', async () => {
  await using world = await ProgramWorld.with({
    'app.ts': `${HEAD}const all: number[][] = [];
function grow() {
  for (;;) all.push(Array.from({ length: 1e4 }, (_, index) => index / 3));
}
grow();
`,
  });
  const { outcome } = await world.run('app.ts', { limits: { maxHeapMegabytes: 256 } });
  expect(outcome.diagnostics).toMatchObject([{ code: 'LNT1085', file: 'app.ts', range: { start: { line: 8 } } }]);
  expect(outcome.diagnostics[0]?.message).toBe('the program needs more than 256 MB of memory');
  expect(outcome.complete).toBe(false);
});

test.skipIf(process.platform !== 'linux').each([
  ['in one loop', 'for (;;) all.push(Buffer.alloc(16 * 2 ** 20, 1));'],
  ['in a timer', 'setInterval(() => all.push(Buffer.alloc(16 * 2 ** 20, 1)), 1);'],
])(
  'lintel check reports a program that exceeds the memory limit with buffers that it allocates %s',
  async (_, grow) => {
    await using world = await ProgramWorld.with({ 'app.ts': `${HEAD}const all: Buffer[] = [];\n${grow}\n` });
    const { outcome } = await world.run('app.ts', { limits: { maxHeapMegabytes: 256 } });
    expect(outcome.diagnostics).toMatchObject([{ code: 'LNT1085', file: 'app.ts' }]);
    expect(outcome.diagnostics[0]?.message).toBe('the program needs more than 256 MB of memory');
    expect(outcome.complete).toBe(false);
  },
);

test('lintel check reports two copies of the package constructs with the files that import them', async () => {
  await using world = await ProgramWorld.with({
    'app.ts': `${HEAD}import { Team } from './shared/team.ts';\nnew Team(chart as never, 'a');\n`,
    'shared/team.ts': `import { Construct } from 'constructs';\nexport class Team extends Construct {}\n`,
  });
  await world.copyPackage('constructs', 'shared/node_modules/constructs', '10.0.1');
  const { outcome } = await world.run();
  expect(outcome.diagnostics).toHaveLength(1);
  const [found] = outcome.diagnostics;
  expect(found).toMatchObject({ code: 'LNT1084', file: 'app.ts' });
  expect(found?.message).toMatch(/^there are 2 copies of constructs: /);
  expect(found?.message).toContain('10.0.1 in shared/node_modules/constructs, for shared/team.ts');
});
