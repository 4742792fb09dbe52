/** No process of a stdio server is left after the end of the server itself, its session, the bridge, or the parent of the bridge. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { eventually, PROGRAM } from '../support/process.ts';
import { call, connect, isRunning, PEER, PLAIN, plan, type RunningBridge, startBridge } from './running-bridge.ts';

/** The process ids of the server and its children: a child that ignores SIGTERM, and a child that has left the process group. */
async function family(bridge: RunningBridge) {
  const peer = await connect(bridge.urlOf('peer'));
  const pids = [
    Number(await call(peer.client, 'pid')),
    ...(JSON.parse(await call(peer.client, 'children')) as number[]),
  ];
  expect(pids.length).toBe(4);
  expect(pids.every(isRunning)).toBe(true);
  return { peer, pids };
}

const gone = (pids: readonly number[]) => eventually(() => !pids.some(isRunning));

test('all processes of a stdio server end when its session ends', async () => {
  await using bridge = await startBridge({ peer: plan(PEER) });
  const { peer, pids } = await family(bridge);
  await peer.transport.terminateSession();
  expect(isRunning(pids[0] ?? 0)).toBe(false);
  await gone(pids);
});

test('when a stdio server ends by itself and leaves child processes behind, the bridge ends them all', async () => {
  await using bridge = await startBridge({ peer: plan(PEER) });
  const { peer, pids } = await family(bridge);
  await expect(call(peer.client, 'crash')).rejects.toThrow(/ended with exit code 7/);
  await gone(pids);
});

test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
  'all processes of a stdio server end when the bridge ends by %s',
  async signal => {
    await using bridge = await startBridge({ peer: plan(PEER) });
    const { pids } = await family(bridge);
    bridge.program.kill(signal);
    await gone(pids);
    expect(await bridge.program.exitCode()).toBe(signal === 'SIGKILL' ? null : 0);
  },
);

test('the bridge and its stdio servers end when the parent process of the bridge is killed by SIGKILL', async () => {
  const config = JSON.stringify({ servers: { 'default/plain': plan(PLAIN) } });
  // The parent holds the bridge's standard input, and writes the configuration to it.
  const parent = spawn(
    process.execPath,
    [
      '-e',
      `const { spawn } = require('node:child_process');
       const bridge = spawn(process.execPath, [process.argv[1], '--config', '-', '--port', '0'], { stdio: ['pipe', 'inherit', 'ignore'], detached: true });
       bridge.stdin.write(process.argv[2] + '\\n');
       console.log(JSON.stringify({ pid: bridge.pid }));`,
      PROGRAM.bridge,
      config,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  parent.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const lines = await eventually(() => (said.split('\n').length > 2 ? said.trim().split('\n') : undefined));
  const [{ pid }, { url }] = lines.map(line => JSON.parse(line)) as [{ pid: number }, { url: string }];
  await using session = await connect(`${url}/default/plain/mcp`);
  await session.client.ping();
  const servers = await childrenOf(pid);
  expect(servers.length).toBe(1);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await gone([pid, ...servers]);
});

test('the bridge ends a stdio server that ignores SIGTERM and keeps reading', async () => {
  await using bridge = await startBridge({ plain: plan(PLAIN, { args: [PLAIN, 'stays'] }) });
  const { transport } = await connect(bridge.urlOf('plain'));
  const [pid = 0] = await childrenOf(bridge.program.pid);
  expect(isRunning(pid)).toBe(true);
  await transport.terminateSession();
  expect(isRunning(pid)).toBe(false);
});

test('the bridge ends a session that is idle for too long, and keeps a session with an open stream', async () => {
  // A busy machine takes this long from the response to `initialize` to the open stream.
  const listenerIdleMs = 3_000;
  await using bridge = await startBridge({
    peer: plan(PEER, { idleTimeoutMs: listenerIdleMs }),
    plain: plan(PLAIN, { idleTimeoutMs: 1 }),
  });
  await using listening = await connect(bridge.urlOf('peer'));
  const listener = Number(await call(listening.client, 'pid'));
  const calledAt = performance.now();
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'lintel-bridge-token': 'tok-of-the-bridge',
  };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const opened = await fetch(bridge.urlOf('plain'), { method: 'POST', headers, body });
  // The server reports its process id as its version, because the session may end before a list of processes is read.
  const [, idle] = /"version":"(\d+)"/.exec(await opened.text()) ?? [];
  expect(idle).toBeDefined();
  await gone([Number(idle)]);
  // The bridge checks sessions every two seconds.
  await eventually(() => performance.now() - calledAt > listenerIdleMs + 2_500);
  expect(isRunning(listener)).toBe(true);
});

/** From `/proc` or `ps`, whichever the machine has. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const ps = spawn('ps', ['-axo', 'pid=,ppid=']);
  const text = (await ps.stdout.setEncoding('utf8').toArray()).join('');
  return text
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number))
    .flatMap(([child = 0, parent]) => (parent === pid && child !== ps.pid ? [child] : []));
}
