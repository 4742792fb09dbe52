/** Forms in which a program may return its charts. For each, Lintel compiles the same objects as `cdk8s synth` writes. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { withPeers } from '../../support/peers.ts';
import { ProgramWorld } from '../../support/program-world.ts';

const CHART = `import { ApiObject, App, Chart, Lazy, Testing } from 'cdk8s';
import { Construct } from 'constructs';
import { readFile } from 'node:fs/promises';
class Eng extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'mcp', labels: { team: id } });
    new ApiObject(this, 'a', { apiVersion: 'v1', kind: 'ConfigMap', data: { id } });
  }
}
`;

/** Rows of: the name of the form, the program, and the paths of the charts that Lintel finds in it. */
const TABLE: readonly [name: string, body: string, charts: readonly string[]][] = [
  [
    'exports an app by default',
    `const app = new App(); new Eng(app, 'a'); new Eng(app, 'b'); export default app;`,
    ['a', 'b'],
  ],
  ['exports an app by name', `export const app = new App(); new Eng(app, 'a');`, ['a']],
  [
    'exports one chart of an app',
    `const app = new App(); export const a = new Eng(app, 'a'); new Eng(app, 'b');`,
    ['a'],
  ],
  ['exports a list', `const app = new App(); export default [new Eng(app, 'b'), new Eng(app, 'a')];`, ['b', 'a']],
  ['exports a function', `export default () => { const app = new App(); new Eng(app, 'a'); return app; };`, ['a']],
  ['exports an async function', `export async function main() { return new Eng(new App(), 'a'); }`, ['a']],
  ['exports a promise', `export const main = Promise.resolve(new Eng(new App(), 'a'));`, ['a']],
  [
    'exports a class and a helper as well',
    `export { Eng }; export const f = (x: number) => x; export default new Eng(new App(), 'a');`,
    ['a'],
  ],
  ['exports nothing, and calls app.synth', `const app = new App(); new Eng(app, 'a'); app.synth();`, ['a']],
  [
    'exports nothing, and calls synth of two apps',
    `for (const id of ['a', 'b']) { const app = new App(); new Eng(app, id); app.synth(); }`,
    ['a', 'b'],
  ],
  [
    'exports a chart, and calls synth of another app',
    `new App().synth(); export default new Eng(new App(), 'a');`,
    ['a'],
  ],
  ['exports an app for tests', `const app = Testing.app(); new Eng(app, 'a'); export default app;`, ['a']],
  [
    'exports charts inside of charts',
    `const app = new App(); new Eng(new Eng(app, 'a'), 'b'); export default app;`,
    ['a/b', 'a'],
  ],
  [
    'calls synth in an async function',
    `async function main() { const app = new App(); await readFile('package.json'); new Eng(app, 'a'); app.synth(); }\nmain();`,
    ['a'],
  ],
  [
    'exports an app, and adds a chart after reading a file',
    `const app = new App(); new Eng(app, 'a'); export default app;\nreadFile('package.json').then(() => new Eng(app, 'b'));`,
    ['a', 'b'],
  ],
  [
    'exports an app, and adds charts in timers',
    `const app = new App(); export default app;\nsetTimeout(() => setImmediate(() => new Eng(app, 'a')), 5);`,
    ['a'],
  ],
  [
    'exports a function that calls synth later',
    `export function main() { const app = new App(); setTimeout(() => { new Eng(app, 'a'); app.synth(); }, 5); }`,
    ['a'],
  ],
  [
    'calls synth in beforeExit',
    `process.once('beforeExit', () => { const app = new App(); new Eng(app, 'a'); app.synth(); });`,
    ['a'],
  ],
  [
    'exports a chart, and has an unreferenced timer',
    `setInterval(() => {}, 1000).unref(); export default new Eng(new App(), 'a');`,
    ['a'],
  ],
  [
    'calls synth, and exports the function that made its chart',
    `const app = new App(); export function chart() { return new Eng(app, 'a'); }\nchart(); app.synth();`,
    ['a'],
  ],
  [
    'exports an app, and the function that made its chart',
    `export const app = new App(); export function chart(id = 'b') { return new Eng(app, id); }\nchart('a'); app.synth();`,
    ['a'],
  ],
  [
    'exports a default function and others',
    `export const other = () => new Eng(new App(), 'b'); export default () => new Eng(new App(), 'a');`,
    ['a'],
  ],
  [
    'exports functions by several names',
    `export const one = () => new Eng(new App(), 'a'); export const two = async () => [new Eng(new App(), 'b')];`,
    ['a', 'b'],
  ],
  [
    'exports a list of functions',
    `export default [() => new Eng(new App(), 'a'), () => new Eng(new App(), 'b')];`,
    ['a', 'b'],
  ],
  [
    'exports an app, and calls its synth',
    `export const app = new App(); new Eng(app, 'a'); export default app; app.synth();`,
    ['a'],
  ],
];

test.concurrent.each(TABLE)('lintel check reads the charts of a program that %s', async (_name, body, charts) => {
  await using world = await ProgramWorld.with({ 'app.ts': `${CHART}${body}\n` });
  const { outcome, synthesized } = await world.run();
  expect(outcome.diagnostics).toEqual([]);
  expect(synthesized?.charts.map(({ constructPath }) => constructPath)).toEqual(charts);
  for (const { objects } of synthesized?.charts ?? []) expect(objects).toHaveLength(1);
  expect(outcome.documents).toHaveLength(charts.length);
});

test.concurrent.each([
  ['app.mts', `${CHART}export default new Eng(new App(), 'a');`],
  ['app.cts', `import cdk8s = require('cdk8s');\nmodule.exports = new cdk8s.Chart(new cdk8s.App(), 'a');\n`],
  ['app.js', `import { App, Chart } from 'cdk8s';\nexport default new Chart(new App(), 'a');\n`],
  ['app.mjs', `import { App, Chart } from 'cdk8s';\nexport default new Chart(new App(), 'a');\n`],
  ['app.cjs', `const { App, Chart } = require('cdk8s');\nexports.chart = new Chart(new App(), 'a');\n`],
  [
    'app.ts',
    `#!/usr/bin/env node\nimport { App, Chart } from 'cdk8s';\nexport default new Chart(new App(), import.meta.filename.split('/').at(-1) ?? '');\n`,
  ],
])('lintel check runs %s as a program', async (entry, text) => {
  await using world = await ProgramWorld.with({ [entry]: text });
  const { outcome, synthesized } = await world.run(entry);
  expect(outcome.diagnostics).toEqual([]);
  expect(synthesized?.charts).toHaveLength(1);
});

/** Programs in the style of the cdk8s CLI: they write the manifests themselves. */
const WRITING: Readonly<Record<string, string>> = {
  'with lazy values, patches and resolvers': `import { ApiObject, App, Chart, JsonPatch, Lazy } from 'cdk8s';
const app = new App({ resolvers: [{ resolve: context => { if (context.value === 'replace me') context.replaceValue('replaced'); } }] });
const chart = new Chart(app, 'one');
const object = new ApiObject(chart, 'a', { apiVersion: 'v1', kind: 'ConfigMap', data: { z: Lazy.any({ produce: () => 'late' }), a: undefined, b: 'replace me', n: 1.50, empty: {}, list: [], yes: 'yes' } });
object.addJsonPatch(JsonPatch.add('/data/patched', 'on'), JsonPatch.remove('/data/z'));
object.metadata.addAnnotation('note', 'later');
app.synth();`,
  'with charts that depend on each other': `import { ApiObject, App, Chart } from 'cdk8s';
const app = new App();
const one = new Chart(app, 'one');
const two = new Chart(app, 'two');
const a = new ApiObject(one, 'a', { apiVersion: 'v1', kind: 'ConfigMap' });
new ApiObject(one, 'later', { apiVersion: 'v1', kind: 'ConfigMap' });
const b = new ApiObject(two, 'b', { apiVersion: 'v1', kind: 'Secret' });
const c = new ApiObject(two, 'c', { apiVersion: 'v1', kind: 'Secret' });
a.addDependency(b);
b.addDependency(c);
app.synth();`,
  'with a chart that overrides toJson': `import { ApiObject, App, Chart } from 'cdk8s';
class Changed extends Chart {
  override toJson() { return super.toJson().map(one => ({ ...one, data: { added: 'here' } })); }
}
const app = new App();
new ApiObject(new Changed(app, 'one'), 'a', { apiVersion: 'v1', kind: 'ConfigMap' });
app.synth();`,
  'with classes that print their names': `import { ApiObject, App, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { team } from './lib/team.ts';
class Team extends Chart {
  static readonly team = 'eng';
  static make(app: App) { return new Team(app, Team.team); }
  readonly object = new ApiObject(this, 'a', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: this.constructor.name }, data: { f: named.name, team: team.name } });
}
const named = () => 1;
const app = new App();
Team.make(app);
app.synth();`,
  'with YAML from a file': `import { App, Chart, Include } from 'cdk8s';
const app = new App();
new Include(new Chart(app, 'one'), 'more', { url: 'more.yaml' });
app.synth();`,
};

withPeers('cdk8s-cli').describe('cdk8s synth', () => {
  test.concurrent.each(Object.entries(WRITING))(
    'lintel check gets the same objects as cdk8s synth from a program %s',
    async (_name, text) => {
      await using world = await ProgramWorld.with({
        'app.ts': text,
        'lib/team.ts': `class Team {}\nexport const team = Team;\n`,
        'more.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: more }\ndata: { mode: "0644" }\n',
        'cdk8s.yaml': 'language: typescript\napp: node app.ts\n',
      });
      const cli = join(world.folder, 'node_modules/cdk8s-cli/bin/cdk8s');
      await promisify(execFile)(process.execPath, [cli, 'synth'], {
        cwd: world.folder,
        env: { ...process.env, CHECKPOINT_DISABLE: '1', CDK8S_CHECK_UPGRADE: 'false', CI: '1' },
      });
      const dist = join(world.folder, 'dist');
      const written: unknown[] = [];
      for (const file of (await readdir(dist)).sort()) {
        const documents = parseAllDocuments(await readFile(join(dist, file), 'utf8'), { version: '1.1' });
        written.push(...documents.map(document => document.toJS() as unknown));
      }
      const { outcome, synthesized } = await world.run();
      expect(outcome.diagnostics).toEqual([]);
      expect(synthesized?.charts.flatMap(({ objects }) => objects.map(({ value }) => value))).toEqual(written);
      expect(written.length).toBeGreaterThan(0);
    },
  );
});

test.concurrent.each([
  ['JSON.stringify', `JSON.stringify = () => 'x';`],
  ['Object.prototype.toJSON', `Object.prototype.toJSON = function () { return 1; };`],
  ['Buffer.from', `Buffer.from = () => Buffer.alloc(1);`],
  ['fs.writeSync', `import fs, { writeSync } from 'node:fs'; fs.writeSync = () => 0; syncBuiltinESMExports();`],
  ['a property of Object.prototype', `Object.prototype.extra = 'here';`],
])('a program that replaces %s gives the same objects as a program that does not', async (_what, replaced) => {
  const body = `import { syncBuiltinESMExports } from 'node:module';
const app = new App(); new Eng(app, 'a'); new Eng(app, 'b'); export default app;\n`;
  await using world = await ProgramWorld.with({ 'app.ts': CHART + body, 'other.ts': CHART + body + replaced });
  const { synthesized } = await world.run();
  const { outcome, synthesized: other } = await world.run('other.ts');
  expect(outcome.diagnostics).toEqual([]);
  const valuesOf = (program: typeof synthesized) => program?.charts.map(({ objects }) => objects.map(one => one.value));
  expect(valuesOf(other)).toEqual(valuesOf(synthesized));
  expect(valuesOf(other)).toHaveLength(2);
});

test('a program gives the same bytes in any folder and at any time', async () => {
  const text = `${CHART}import crypto from 'node:crypto';
const later = await new Promise(resolve => crypto.randomFill(new Uint16Array(4), 1, 2, (_error, filled) => resolve([...filled])));
const data = {
  random: Math.random(), now: Date.now(), date: new Date().toISOString(), text: Date(), sub: new (class extends Date {})().toJSON(),
  uuid: crypto.randomUUID(), web: globalThis.crypto.randomUUID(), bytes: crypto.randomBytes(4).toString('hex'), int: crypto.randomInt(1e9),
  rng: crypto.rng(4).toString('hex'), values: [...globalThis.crypto.getRandomValues(new Uint8Array(4))], later,
  part: [...crypto.randomFillSync(Buffer.alloc(4), 2)],
  format: new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'full' }).format(),
  parts: new Intl.DateTimeFormat('en', { timeStyle: 'full' }).formatToParts().map(({ value }) => value),
  file: new File([], 'x').lastModified, event: new Event('x').timeStamp,
};
const chart = new Eng(new App(), 'a');
new ApiObject(chart, 'y', { apiVersion: 'v1', kind: 'Z', data });
export default chart;\n`;
  const results: unknown[] = [];
  for (const _ of [1, 2]) {
    await using world = await ProgramWorld.with({ 'app.ts': text });
    const { synthesized } = await world.run();
    results.push(synthesized?.charts[0]?.objects[1]?.value);
  }
  expect(results[0]).toEqual(results[1]);
  expect(results[0]).toMatchObject({
    data: {
      now: Date.UTC(1980, 0, 1),
      date: '1980-01-01T00:00:00.000Z',
      format: 'Tuesday, January 1, 1980 at 12:00:00 AM Coordinated Universal Time',
      later: [0, expect.any(Number), expect.any(Number), 0],
      part: [0, 0, expect.any(Number), expect.any(Number)],
      file: Date.UTC(1980, 0, 1),
      event: 0,
    },
  });
});

test('the compiler knows the call that made an object of a program, and the calls that patched it', async () => {
  await using world = await ProgramWorld.with({
    'app.ts': `${CHART}const chart = new Eng(new App(), 'a');\nApiObject.of(chart.node.findChild('a')).addJsonPatch({ _toJson: () => ({ op: 'add', path: '/data/b', value: 1 }) } as never);\nexport default chart;\n`,
  });
  const { synthesized } = await world.run();
  const [object] = synthesized?.charts[0]?.objects ?? [];
  expect(object).toMatchObject({ constructPath: 'a/a', patches: [{ op: 'add', path: '/data/b' }] });
  expect(object?.origins[0]).toMatchObject({ pointer: '', callSite: { argument: [2] } });
  expect(object?.patches[0]?.callSite?.frames.length).toBeGreaterThan(0);
});
