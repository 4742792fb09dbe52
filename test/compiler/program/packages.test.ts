/** Packages that are not there, and types. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileSources, loadProject } from '#compiler';
import { PROGRAM, ROOT, run } from '../../support/process.ts';
import { type Files, line, ProgramWorld } from '../../support/program-world.ts';

const APP = `import { App, Chart } from 'cdk8s';\nexport default new Chart(new App(), 'a');\n`;

/** Lintel as it is installed: it finds none of the packages of its own development. */
async function installed(packages: readonly string[], files: Files = { 'app.ts': APP }) {
  const world = await ProgramWorld.with(files, packages);
  await world.write({
    'node_modules/lintel/package.json': '{ "name": "lintel", "version": "0.0.0", "type": "module" }',
  });
  const { cp } = await import('node:fs/promises');
  await cp(join(ROOT, 'dist'), join(world.folder, 'node_modules/lintel/dist'), { recursive: true });
  return world;
}

test.each<[string, readonly string[], string]>([
  ['cdk8s', ['constructs', 'esbuild'], 'npm install --save-dev cdk8s constructs'],
  ['constructs', ['cdk8s', 'esbuild'], 'npm install --save-dev cdk8s constructs'],
  ['esbuild', ['cdk8s', 'constructs'], 'npm install --save-dev esbuild'],
])('without %s, the finding says how to install it', async (name, packages, command) => {
  await using world = await installed(packages);
  const lintel = join(world.folder, 'node_modules/lintel/dist/lintel.js');
  const { code, stdout } = await run(lintel, ['check', 'app.ts', '--format', 'json'], { cwd: world.folder });
  expect(code).toBe(3);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; message: string; fix?: string }[] };
  expect(diagnostics).toMatchObject([
    { code: 'LNT1074', message: `the package ${name} is not installed, and programs need it` },
  ]);
  expect(diagnostics[0]?.fix).toContain(command);
});

test('without typescript, the finding says that types were not checked', async () => {
  await using world = await installed(['cdk8s', 'constructs', 'esbuild']);
  await symlink(join(ROOT, 'node_modules/@esbuild'), join(world.folder, 'node_modules/@esbuild'));
  const lintel = join(world.folder, 'node_modules/lintel/dist/lintel.js');
  const check = (...more: string[]) =>
    run(lintel, ['check', 'app.ts', '--format', 'json', ...more], { cwd: world.folder });
  expect((await check()).stdout).toContain('"LNT1075"');
  expect((await check('--no-typecheck')).stdout).not.toContain('"LNT1075"');
});

const STRICT = '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2022", "types": [] } }';

test.each<[string, Files, readonly string[]]>([
  [
    'without a tsconfig.json',
    { 'app.ts': `${APP}const n: number = 'one';\nawait n;\nexport const file = import.meta.url;\n` },
    ["LNT1072 error app.ts:3:7 Type 'string' is not assignable to type 'number' (TS2322)"],
  ],
  [
    'with one',
    { 'tsconfig.json': STRICT, 'app.ts': `${APP}export function f(x) { return x; }\n` },
    ["LNT1072 error app.ts:3:19 Parameter 'x' implicitly has an 'any' type (TS7006)"],
  ],
  [
    'with one that is lax',
    {
      'tsconfig.json':
        '{ "compilerOptions": { "strict": false, "module": "nodenext", "target": "es2022", "types": [] } }',
      'app.ts': `${APP}export function f(x) { return x; }\n`,
    },
    [],
  ],
  [
    'in a file that is imported, with declarations of the project',
    {
      'tsconfig.json': STRICT,
      'global.d.ts': 'declare const TEAM: string | undefined;\n',
      'unrelated.ts': `export const n: number = 'not looked at';\n`,
      'app.ts': `import './lib.js';\n${APP}export const team = typeof TEAM;\n`,
      'lib.ts': `export const a = 1;\na.nothing;\n`,
    },
    ["LNT1072 error lib.ts:2:3 Property 'nothing' does not exist on type '1' (TS2339)"],
  ],
  [
    'with one that is broken',
    { 'tsconfig.json': '{ "compilerOptions": { "strikt": true, "types": [] } }', 'app.ts': APP },
    ["LNT1072 error tsconfig.json:1:24 Unknown compiler option 'strikt'. Did you mean 'strict'? (TS5025)"],
  ],
  ['of JavaScript, which has none', { 'app.ts': APP }, []],
])('type errors %s', { timeout: 60_000 }, async (_name, files, expected) => {
  await using world = await ProgramWorld.with(files);
  const { outcome, synthesized } = await world.run('app.ts', { typecheck: true });
  expect(outcome.diagnostics.map(line)).toEqual(expected);
  expect(synthesized === undefined).toBe(expected.length > 0);
  const unchecked = await world.run('app.ts', { typecheck: false });
  expect(unchecked.outcome.diagnostics).toEqual([]);
});

test('whoever runs no programs says so, and reads none of them', async () => {
  await using world = await ProgramWorld.with({ 'app.ts': APP, 'lintel.yaml': 'sources: [app.ts]\n' });
  const project = loadProject(undefined, world.folder, []);
  const { compilation } = compileSources([], project, {
    cwd: world.folder,
    purpose: 'build',
    sourceRevision: null,
    confinedTo: world.folder,
  });
  expect(compilation.findings.diagnostics.map(line)).toEqual([
    'LNT1092 error app.ts:1:1 this is a program, and programs are not run here',
  ]);
  expect(compilation.checked.complete).toBe(false);
});

test('the controller has nothing to run programs with', async () => {
  const { readFile } = await import('node:fs/promises');
  const marker = 'lintel-program.js';
  expect(await readFile(PROGRAM.lintel, 'utf8')).toContain(marker);
  for (const file of ['lintel-controller.js', 'lintel-controller-compile.js', 'lintel-runtime.js']) {
    const text = await readFile(join(ROOT, 'dist', file), 'utf8');
    expect(text).not.toContain(marker);
    expect(text).not.toContain('lintel:hook');
  }
});
