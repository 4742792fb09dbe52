/** Exit codes: CI jobs depend on these numbers. */
import { expect, test } from 'vitest';
import { runLintel } from '../support/lintel.ts';
import { PROGRAM, run, temporaryFolder } from '../support/process.ts';

const GROUP = 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: a }\n';

const FILES = {
  'clean.yaml': GROUP,
  'wrong.yaml': GROUP.replace('name: a', 'name: A'),
  'warned.yaml': GROUP.replace('v1beta1', 'v1alpha1'),
  'foreign.yaml': 'apiVersion: v1\nkind: Service\nmetadata: { name: a }\n',
  'too-deep.yaml': `${'['.repeat(2000)}${']'.repeat(2000)}`,
  // Simulates a bug in Lintel, because no input is known to cause one.
  'fault.mjs': 'process.cwd = () => { throw new TypeError("injected"); };\n',
};

test.each<[code: number, args: readonly string[]]>([
  [0, ['check', 'warned.yaml']],
  [0, ['build', 'clean.yaml', '--out', 'out']],
  [0, ['--help']],
  [0, ['--version']],
  [1, ['check', 'warned.yaml', '--fail-on', 'warning']],
  [1, ['check', 'wrong.yaml', '--format', 'json']],
  [1, ['build', 'wrong.yaml', '--out', 'out']],
  [2, ['chek', 'clean.yaml']],
  [2, ['check']],
  [2, ['check', 'missing.yaml']],
  [2, ['check', 'foreign.yaml']],
  [2, ['check', 'clean.yaml', '--format', 'xml']],
  [2, ['build', 'clean.yaml']],
  [2, ['build', 'clean.yaml', '--out', 'clean.yaml/out']],
  [2, ['serve', 'clean.yaml']],
  [3, ['check', 'wrong.yaml', 'too-deep.yaml']],
  [3, ['build', 'clean.yaml', 'too-deep.yaml', '--out', 'out']],
])('the exit code is %i when lintel runs with the arguments %j', async (code, args) => {
  await using folder = await temporaryFolder(FILES);
  expect(await runLintel(args, { cwd: folder.path })).toMatchObject({ code });
});

test.each<[code: number, args: readonly string[], nodeOptions?: string]>([
  [0, ['check', 'clean.yaml']],
  [1, ['check', 'wrong.yaml']],
  [2, []],
  [3, ['check', 'clean.yaml', 'too-deep.yaml']],
  [70, ['check', 'clean.yaml'], '--import=./fault.mjs'],
])('the exit code of a process is %i: lintel %j', async (code, args, nodeOptions = '') => {
  await using folder = await temporaryFolder(FILES);
  const outcome = await run(PROGRAM.lintel, args, { cwd: folder.path, env: { NODE_OPTIONS: nodeOptions } });
  expect(outcome).toMatchObject({ code });
});

test.each<[name: keyof typeof PROGRAM, args: readonly string[]]>([
  ['runtime', []],
  ['runtime', ['--bundle', 'missing']],
  ['controller', []],
])('the exit code is 2 when the %s runs with the arguments %j', async (name, args) => {
  await using folder = await temporaryFolder();
  expect(await run(PROGRAM[name], args, { cwd: folder.path })).toMatchObject({ code: 2 });
});
