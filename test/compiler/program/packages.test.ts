/** Findings about programs for which a package or the types of a package are not installed. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileSources, loadProject } from '#compiler';
import { ROOT, run } from '../../support/process.ts';
import { type Files, line, ProgramWorld } from '../../support/program-world.ts';
import { APP, JAVASCRIPT, TYPE_ERRORS } from './type-errors.ts';

/** Creates a project in which Lintel is installed without the packages that only its own development needs. */
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
])('lintel check of a program without the package %s says how to install it', async (name, packages, command) => {
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

test('lintel check of a program without the package typescript says that types were not checked', async () => {
  await using world = await installed(['cdk8s', 'constructs', 'esbuild']);
  await symlink(join(ROOT, 'node_modules/@esbuild'), join(world.folder, 'node_modules/@esbuild'));
  const lintel = join(world.folder, 'node_modules/lintel/dist/lintel.js');
  const check = (...more: string[]) =>
    run(lintel, ['check', 'app.ts', '--format', 'json', ...more], { cwd: world.folder });
  expect((await check()).stdout).toContain('"LNT1075"');
  expect((await check('--no-typecheck')).stdout).not.toContain('"LNT1075"');
});

test('lintel check reports that it cannot use a typescript package that has neither an API nor a command', {
  timeout: 60_000,
}, async () => {
  await using world = await ProgramWorld.with({ 'app.ts': APP }, ['cdk8s', 'constructs', 'esbuild']);
  await world.write({
    'node_modules/typescript/package.json':
      '{ "name": "typescript", "version": "9.0.0", "exports": { "./package.json": "./package.json", ".": "./version.cjs" } }',
    'node_modules/typescript/version.cjs': 'module.exports = { version: "9.0.0" };',
  });
  const { outcome } = await world.run('app.ts', { typecheck: true });
  expect(outcome.diagnostics.map(line)).toEqual([
    'LNT1075 warning app.ts:1:1 typescript 9.0.0 failed: it has neither an API nor a command',
  ]);
});

test('lintel check reports a type check that does not end', async () => {
  await using world = await ProgramWorld.with({ 'app.ts': APP }, ['cdk8s', 'constructs', 'esbuild']);
  await world.write({
    'node_modules/typescript/package.json': '{ "name": "typescript", "version": "5.9.0", "main": "loop.cjs" }',
    'node_modules/typescript/loop.cjs': 'for (;;) {}',
  });
  const { outcome } = await world.run('app.ts', { typecheck: true, limits: { deadlineMs: 1500 } });
  expect(outcome.diagnostics.map(line)).toEqual([
    'LNT1076 error app.ts:1:1 typescript 5.9.0 was still checking the types of the program after 6 s',
  ]);
  expect(outcome.complete).toBe(false);
});

test.each(TYPE_ERRORS)(
  'lintel check of a program reports the expected type errors %s',
  async (_name, files, expected) => {
    await using world = await ProgramWorld.with(files);
    const { outcome, synthesized } = await world.run('app.ts', { typecheck: true });
    expect(outcome.diagnostics.map(line)).toEqual(expected);
    expect(synthesized === undefined).toBe(expected.length > 0);
    const unchecked = await world.run('app.ts', { typecheck: false });
    expect(unchecked.outcome.diagnostics).toEqual([]);
  },
);

test.each(JAVASCRIPT)(
  'lintel check type-checks the program %s with the options of tsconfig.json',
  async (entry, files, expected) => {
    await using world = await ProgramWorld.with(files);
    const { outcome, synthesized } = await world.run(entry, { typecheck: true });
    expect(outcome.diagnostics.map(line)).toEqual(expected);
    expect(synthesized === undefined).toBe(expected.length > 0);
  },
);

test('lintel check reports an invalid TypeScript option at its place in tsconfig.json', async () => {
  const config = '{\n  "compilerOptions": { "types": [],\n    "charset": "utf8" }\n}\n';
  await using world = await ProgramWorld.with({ 'app.ts': APP, 'tsconfig.json': config });
  const { outcome } = await world.run('app.ts', { typecheck: true });
  expect(outcome.diagnostics.map(line)).toEqual([
    expect.stringMatching(/^LNT1072 error tsconfig\.json:3:5 Option 'charset' /),
  ]);
});

test('a compilation without permission to run programs reports LNT1092, and reads no program', async () => {
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

test('the programs of controller and runtime contain no code that runs TypeScript programs', async () => {
  const { readFile } = await import('node:fs/promises');
  const marker = 'lintel-program.js';
  expect(await readFile(join(ROOT, 'dist/lintel-commands.js'), 'utf8')).toContain(marker);
  for (const file of ['lintel-controller.js', 'lintel-controller-compile.js', 'lintel-runtime.js']) {
    const text = await readFile(join(ROOT, 'dist', file), 'utf8');
    expect(text).not.toContain(marker);
    expect(text).not.toContain('lintel:hook');
  }
});
