/** Stdio servers behind a gateway: `serve`, `dev` and `lock` start a bridge for them, and no process is left when they end. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { call, isRunning } from '../../bridge/running-bridge.ts';
import { stdioSpec } from '../../bridge/stdio-spec.ts';
import { runLintel } from '../../support/lintel.ts';
import { eventually, PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { type Announcement, FREE_PORTS, ready } from '../served.ts';

const specs = (more = '') =>
  stdioSpec({
    args: ['--key=$(KEY)'],
    more: `  secrets: [{ name: peer-env, key: token, targetEnvName: KEY }]\n${more}`,
  });

const SECRET = { LINTEL_SECRET_ENV_KEY_PEER: 's3cret-of-the-peer' };

async function connect(url: string) {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { ok: true } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

test.each(['SIGTERM', 'SIGKILL'] as const)('`lintel serve` runs stdio servers until it ends by %s', async signal => {
  await using folder = await temporaryFolder({ 'gateway.yaml': specs() });
  await using gateway = start(PROGRAM.lintel, ['serve', 'gateway.yaml', ...FREE_PORTS], {
    cwd: folder.path,
    env: SECRET,
  });
  const announcement = await gateway.announcement<Announcement>();
  await ready(announcement);
  const pids: number[] = [];
  {
    await using peer = await connect(announcement.url);
    await eventually(async () => (await peer.client.listTools()).tools.length > 0);
    expect(JSON.parse(await call(peer.client, 'peer_elicit'))).toMatchObject({ action: 'accept' });
    expect(JSON.parse(await call(peer.client, 'peer_arguments'))).toEqual(['--key=s3cret-of-the-peer']);
    expect(Object.keys(JSON.parse(await call(peer.client, 'peer_environment')))).not.toContain('LINTEL_BRIDGE_TOKEN');
    pids.push(Number(await call(peer.client, 'peer_pid')));
    pids.push(...(JSON.parse(await call(peer.client, 'peer_children')) as number[]));
    expect(pids.every(isRunning)).toBe(true);
    gateway.kill(signal);
  }
  await eventually(() => !pids.some(isRunning));
  expect(gateway.stderr.text).not.toContain('s3cret-of-the-peer');
});

test('`lintel dev` starts a stdio server again after a change of its command, and a stdio server that is added later', async () => {
  await using folder = await temporaryFolder({ 'gateway.yaml': specs().replace('command: node', 'image: i') });
  await folder.replace(
    'gateway.yaml',
    specs().replace(/kind: MCPServer[\s\S]*?---/, 'kind: MCPGroup\nmetadata: { name: other }\nspec: {}\n---'),
  );
  await using gateway = start(PROGRAM.lintel, ['dev', 'gateway.yaml', ...FREE_PORTS], {
    cwd: folder.path,
    env: SECRET,
  });
  const { url } = await gateway.announcement<Announcement>();
  await folder.replace('gateway.yaml', specs());
  await using peer = await connect(url);
  await eventually(async () => (await peer.client.listTools()).tools.length > 0);
  const first = await call(peer.client, 'peer_pid');
  await folder.replace('gateway.yaml', specs('  env: [{ name: ADDED, value: later }]\n'));
  const environment = async () => JSON.parse(await call(peer.client, 'peer_environment').catch(() => '{}'));
  await eventually(async () => (await environment()).ADDED === 'later');
  expect(await call(peer.client, 'peer_pid')).not.toBe(first);
});

test('`lintel lock` records the tools of stdio servers, and names a missing variable', async () => {
  await using folder = await temporaryFolder({ 'gateway.yaml': specs() });
  const lock = (env: Record<string, string>) => runLintel(['lock', 'gateway.yaml'], { cwd: folder.path, env });
  const without = await lock({});
  expect(without).toMatchObject({ code: 3 });
  expect(without.stderr).toContain(
    'not locked: default/MCPServer/peer: its variable KEY needs the environment variable LINTEL_SECRET_ENV_KEY_PEER',
  );
  const missing = 'lintel: a secret is missing: LINTEL_SECRET_ENV_KEY_PEER (KEY of peer); ';
  expect(without.stderr).toContain(
    `${missing}set it in the environment, or write it into a file as NAME=value and give that with --dotenv\n`,
  );
  await folder.replace('.env.example', 'LINTEL_SECRET_ENV_KEY_PEER=\n');
  expect((await lock({})).stderr).toContain(
    `${missing}copy .env.example to .env, write it there, and run this again with --dotenv .env\n`,
  );
  const locked = await lock(SECRET);
  expect(locked).toMatchObject({ code: 0, stderr: 'lintel: wrote lintel.lock.json\n' });
  expect(locked.stdout).toContain('elicit');
  const denied = await runLintel(['lock', 'gateway.yaml', '--check', '--deny-private-backends'], {
    cwd: folder.path,
    env: SECRET,
  });
  expect(denied).toMatchObject({ code: 0 });
});
