/** Which values `--workers` accepts, and how a process with several workers starts and fails. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { readOptions } from '#runtime';
import { formatCanonicalJson } from '#schemas';
import { compileConfig, getBundle } from '../../compiler/registry/compiling.ts';
import { childProcesses, killChildren } from '../../support/child-processes.ts';
import { backendPlan, eventually, gatewayBundle } from '../../support/gateway.ts';
import { listenOnOwnPort } from '../../support/own-port.ts';
import { PROGRAM, run, start, temporaryFolder } from '../../support/process.ts';
import { startTree } from './worker-tree.ts';

const BUNDLE = gatewayBundle({ backends: [backendPlan('one', 'http://127.0.0.1:1/mcp')] });

const FREE = ['--port', '0', '--internal-address', '127.0.0.1:0'];

test.each([
  [['--workers', '1'], 1],
  [['--workers', '256'], 256],
  [['--workers', 'auto'], 'auto'],
  [[], 1],
])('the runtime accepts the worker options %j', (args, workers) => {
  expect(readOptions(['--bundle', 'x', ...args])).toMatchObject({ workers });
});

test.each(['0', 'x', '-1', '1.5', '', '257', '1000', ' 2'])('the runtime refuses --workers=%s', value => {
  expect(() => readOptions(['--bundle', 'x', `--workers=${value}`])).toThrow(
    `--workers ${value}: expected a number from 1 to 256, or auto`,
  );
});

test('a worker that was not started by a primary ends with exit code 2 and a clear error', async () => {
  const outcome = await run(PROGRAM.runtime, ['worker', '--bundle', 'x']);
  expect(outcome).toMatchObject({ code: 2, stdout: '' });
  expect(outcome.stderr).toContain('lintel-runtime: worker: only `lintel-runtime --workers` starts this command');
});

test('the runtime with one worker is one process', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'bundle.json': formatCanonicalJson(BUNDLE) });
  await using program = start(PROGRAM.runtime, ['--bundle', folder.path, ...FREE, '--workers', '1']);
  const { internal } = await program.announcement<{ internal: string }>();
  expect(childProcesses(program.pid)).toEqual([]);
  expect(await (await fetch(`${internal}/status`)).json()).not.toHaveProperty('workers');
});

test('the runtime starts more workers than cores, and the log says so', async () => {
  await using tree = await startTree({ backends: [] }, 5);
  expect((await tree.status()).workers.map(({ worker }) => worker)).toEqual([1, 2, 3, 4, 5]);
  const text = tree.program.stderr.text;
  const { cores } = JSON.parse(text.split('\n').find(line => line.includes('take turns')) ?? '{"cores":5}');
  expect(cores).toBeGreaterThanOrEqual(text.includes('take turns') ? 1 : 5);
});

test('a registry server with more than one worker is refused', async () => {
  await using folder = await temporaryFolder();
  const bundle = getBundle(
    compileConfig(`sources: [{ name: a, file: { path: /srv/x } }]
registries: [{ name: main, sources: [a] }]
auth: { mode: anonymous }
`),
  );
  await folder.write({ 'bundle.json': formatCanonicalJson(bundle) });
  const { code, stderr } = await run(PROGRAM.runtime, ['--bundle', folder.path, ...FREE, '--workers', '2']);
  expect(code).toBe(2);
  expect(stderr).toContain('a registry server is one process');
  expect(stderr).toContain('start it without --workers 2');
});

test('the runtime with several workers ends with the same error as with one worker when its address is in use', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'bundle.json': formatCanonicalJson(BUNDLE) });
  const taken = createServer();
  await listenOnOwnPort(taken);
  const { port } = taken.address() as AddressInfo;
  const main = ['--port', String(port), '--internal-address', '127.0.0.1:0'];
  const internal = ['--port', '0', '--internal-address', `127.0.0.1:${port}`];
  for (const [args, flag] of [
    [main, '--host/--port'],
    [internal, '--internal-address'],
  ] as const) {
    const of = (workers: string) => run(PROGRAM.runtime, ['--bundle', folder.path, ...args, '--workers', workers]);
    const [one, two] = await Promise.all([of('1'), of('2')]);
    expect(two.code).toBe(2);
    expect(two.stderr).toContain(`127.0.0.1:${port}: the address is in use; choose another address with ${flag}`);
    expect(two.stderr.trim().split('\n').at(-1)).toBe(one.stderr.trim().split('\n').at(-1));
  }
  taken.close();
});

test('the runtime with several workers ends with the same error as with one worker when it cannot serve the bundle', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'bundle.json': formatCanonicalJson({ ...BUNDLE, incomingAuth: { type: 'local' } }) });
  const of = (workers: string) =>
    run(PROGRAM.runtime, ['--bundle', folder.path, '--host', '0.0.0.0', ...FREE, '--workers', workers]);
  const [one, two] = await Promise.all([of('1'), of('2')]);
  expect(two.code).toBe(2);
  expect(two.stderr).toContain('listen on a loopback address');
  expect(two.stderr).toBe(one.stderr);
});

test('the runtime ends with exit code 70 when its workers do not stay alive', async () => {
  await using tree = await startTree({ backends: [] });
  const [code] = await Promise.all([
    tree.program.exitCode(),
    eventually(() => {
      killChildren(tree.program.pid);
      return /no worker keeps running/.test(tree.program.stderr.text);
    }),
  ]);
  expect(code).toBe(70);
  expect(tree.program.stderr.text).toContain('no worker keeps running; the last worker ended with: signal SIGKILL');
});
