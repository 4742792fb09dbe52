/** Programs in a project with TypeScript 7, npm's default version, which is only a command and has no JavaScript API. */
import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectPlaces, ROWS } from '../../compiler/program/places/rows.ts';
import { JAVASCRIPT, TYPE_ERRORS } from '../../compiler/program/type-errors.ts';
import { PROGRAM, run, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { line, ProgramWorld } from '../../support/program-world.ts';

const VERSION = '7.0.2';

let installed: TemporaryFolder;

beforeAll(async () => {
  installed = await temporaryFolder({ 'package.json': '{ "private": true }' });
  const args = ['install', `typescript@${VERSION}`, '--no-audit', '--no-fund', '--prefer-offline', '--silent'];
  await promisify(execFile)('npm', args, { cwd: installed.path });
});

afterAll(() => installed[Symbol.asyncDispose]());

const typescript = () => join(installed.path, 'node_modules/typescript');

test.each(TYPE_ERRORS)(
  'lintel reports the type errors that TypeScript 7 finds in a program: %s',
  async (_name, files, expected) => {
    await using world = await ProgramWorld.with(files, ['cdk8s', 'constructs', 'esbuild']);
    await symlink(typescript(), join(world.folder, 'node_modules/typescript'));
    const { outcome, synthesized } = await world.run('app.ts', { typecheck: true });
    expect(outcome.diagnostics.map(line)).toEqual(expected);
    expect(synthesized === undefined).toBe(expected.length > 0);
  },
);

test.each(JAVASCRIPT)('lintel checks the types of %s with TypeScript 7', async (entry, files, expected) => {
  await using world = await ProgramWorld.with(files, ['cdk8s', 'constructs', 'esbuild']);
  await symlink(typescript(), join(world.folder, 'node_modules/typescript'));
  const { outcome } = await world.run(entry, { typecheck: true });
  expect(outcome.diagnostics.map(line)).toEqual(expected);
});

test('`lintel check` with TypeScript 7 reports type errors, and findings at the lines of the program', async () => {
  const app = `import { ApiObject, App, Chart } from 'cdk8s';
const chart = new Chart(new App(), 'eng');
const group: string = 'nope';
new ApiObject(chart, 'gateway', {
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'VirtualMCPServer',
  spec: { groupRef: { name: group }, incomingAuth: { type: 'anonymous' } },
});
export default chart;
`;
  await using world = await ProgramWorld.with({ 'app.ts': app }, ['cdk8s', 'constructs', 'esbuild']);
  await symlink(typescript(), join(world.folder, 'node_modules/typescript'));
  const check = () => run(PROGRAM.lintel, ['check', 'app.ts', '--format', 'compact'], { cwd: world.folder });
  const { stdout, stderr } = await check();
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^app\.ts:3:23: error\[LNT2001\]/m);
  expect(stdout).not.toContain('LNT1075');
  await world.write({ 'app.ts': app.replace('group: string', 'group: number') });
  expect((await check()).stdout).toMatch(/^app\.ts:3:7: error\[LNT1072\]/);
});

test.each(ROWS)('with TypeScript 7, lintel finds the lines of a program to which findings belong: $name', row =>
  expectPlaces(row, typescript()),
);
