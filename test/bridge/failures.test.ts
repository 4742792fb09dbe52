/** Servers that do not start, do not answer, crash, or exceed a limit. */
import { expect, test } from 'vitest';
import { eventually } from '../support/process.ts';
import { call, connect, isRunning, PEER, PLAIN, plan, startBridge } from './running-bridge.ts';

test.each([
  ['a command that does not exist', { command: 'no-such-program' }, /there is no program no-such-program on PATH/],
  ['a path that does not exist', { command: './nothing.sh' }, /\.\/nothing\.sh is not a program that can be run from/],
  [
    'a missing secret',
    { env: [{ name: 'TOKEN', value: { type: 'secret', from: { env: 'LINTEL_ABSENT', file: '/nowhere/token' } } }] },
    /secret for TOKEN is missing: file \/nowhere\/token cannot be read \(ENOENT\), and environment variable LINTEL_ABSENT is not set/,
  ],
  [
    'a working directory that does not exist',
    { workingDir: '/no/such/folder' },
    /cannot be started in \/no\/such\/folder/,
  ],
  ['a program that ends', { args: ['-e', 'console.error("bad luck"); process.exit(3)'] }, /exit code 3; .*bad luck/],
  [
    'a program that cannot be loaded',
    { args: ['/no/such/server.mjs'] },
    /exit code 1; its log says: Error: Cannot find module '\/no\/such\/server\.mjs'/,
  ],
  ['no answer to initialize', { args: [PLAIN, 'silent'], startTimeoutMs: 200 }, /did not answer within 0\.2 s/],
] as const)('the client gets the reason why the stdio server did not start: %s', async (_what, changes, message) => {
  await using bridge = await startBridge({ peer: plan(PEER, changes as object) });
  await expect(connect(bridge.urlOf('peer'))).rejects.toThrow(message);
});

test('the bridge waits before it restarts a stdio server that keeps failing', async () => {
  await using bridge = await startBridge({ peer: plan(PEER, { args: ['-e', 'process.exit(3)'] }) });
  await eventually(async () => {
    const error = await connect(bridge.urlOf('peer')).then(
      () => undefined,
      (failure: Error) => failure,
    );
    return error?.message.includes('times in a row and starts again in');
  });
  const started = bridge.program.stderr.text.split('the server was started').length - 1;
  expect(started).toBe(1);
  expect(bridge.program.stderr.text).toContain('"failures":4');
});

test('a stdio server that keeps failing does not fill the log of the bridge', async () => {
  const script = 'console.error("reading " + process.pid); console.error("bad luck"); process.exit(3)';
  await using bridge = await startBridge({ peer: plan(PEER, { args: ['-e', script] }) });
  const lines = () => bridge.program.stderr.text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]));
  // The fourth failure in a row: the next start is later than a client may wait.
  await eventually(async () => {
    await connect(bridge.urlOf('peer')).catch(() => {});
    return lines().some(({ failures }) => failures === 4);
  });
  const said = lines().map(({ msg, failures, stderr }) => [msg, failures ?? stderr ?? ''].join(' ').trim());
  expect(said.map(text => text.replace(/\d{2,}/, 'N'))).toEqual([
    'the server was started',
    'the server wrote to standard error reading N',
    'the server wrote to standard error bad luck',
    'the server has ended',
    'the server has ended again 2',
    'the server has ended again 4',
  ]);
});

test('the bridge counts a stdio server that starts and does not answer in time as failed', async () => {
  await using bridge = await startBridge({ peer: plan(PEER, { args: [PLAIN, 'silent'], startTimeoutMs: 100 }) });
  await eventually(async () => {
    const error = await connect(bridge.urlOf('peer')).then(
      () => undefined,
      (failure: Error) => failure,
    );
    return error?.message.includes('times in a row and starts again in');
  });
});

test('the bridge logs only once why a stdio server cannot start, however often clients try', async () => {
  await using bridge = await startBridge({ peer: plan(PEER, { command: 'no-such-program' }) });
  for (let attempt = 0; attempt < 3; attempt += 1) await connect(bridge.urlOf('peer')).catch(() => {});
  const errors = bridge.program.stderr.text.split('\n').filter(line => line.includes('"level":"error"'));
  expect(errors).toEqual([expect.stringContaining('there is no program no-such-program on PATH')]);
});

test('a session ends when its stdio server crashes, and the client can open a new session', async () => {
  await using bridge = await startBridge({ peer: plan(PEER) });
  const first = await connect(bridge.urlOf('peer'));
  await expect(call(first.client, 'crash')).rejects.toThrow(/exit code 7/);
  await expect(first.client.listTools()).rejects.toThrow(/no such session/);
  await using second = await connect(bridge.urlOf('peer'));
  expect(await call(second.client, 'count')).toBe('1');
});

test('the bridge cancels a request that the stdio server does not answer in time', async () => {
  await using bridge = await startBridge({ peer: plan(PEER, { requestTimeoutMs: 300 }) });
  await using peer = await connect(bridge.urlOf('peer'));
  await expect(call(peer.client, 'wait')).rejects.toThrow(/did not answer within 0\.3 s/);
  await eventually(async () => (await call(peer.client, 'cancelled')) === '1');
});

test('the bridge ends a stdio server that exceeds its memory limit', async () => {
  await using bridge = await startBridge({ peer: plan(PEER, { maxMemoryBytes: 300 * 2 ** 20 }) });
  await using peer = await connect(bridge.urlOf('peer'));
  const pid = Number(await call(peer.client, 'pid'));
  await call(peer.client, 'fill', { megabytes: 20 });
  const waiting = expect(call(peer.client, 'wait')).rejects.toThrow(/used more than 300 MiB of memory/);
  await call(peer.client, 'fill', { megabytes: 400 }).catch(() => {});
  await waiting;
  await eventually(() => !isRunning(pid));
});

test('the bridge runs no more processes of a stdio server than its limit allows', async () => {
  await using bridge = await startBridge({ peer: plan(PEER, { maxProcesses: 2 }) });
  const one = await connect(bridge.urlOf('peer'));
  await using _two = await connect(bridge.urlOf('peer'));
  await expect(connect(bridge.urlOf('peer'))).rejects.toThrow(/2 processes of the server run already/);
  await one.transport.terminateSession();
  await using _three = await connect(bridge.urlOf('peer'));
});
