/**
 * Runs three replicas of one gateway that share sessions in Redis, behind a proxy that sends each request to the next replica. One replica
 * is killed while a client has an open session.
 *
 *     node examples/scale-out/scale-out.mjs          serves until Ctrl-C after the last call
 *     node examples/scale-out/scale-out.mjs --once   ends after the last call
 *
 * Needs `redis-server` in the PATH and `npm run build`.
 */
import events from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { freePort, killAll, listens, run, start, startListening } from './programs.mjs';
import { startProxy } from './proxy.mjs';

const ROOT = path.resolve(import.meta.dirname, '..', '..');
const NAMES = ['a', 'b', 'c'];
const CALLS = 6;

const once = process.argv.includes('--once');
const folder = await mkdtemp(path.join(tmpdir(), 'lintel-scale-out-'));
try {
  await story();
  if (!once) await new Promise(resolve => process.once('SIGINT', resolve));
} catch (error) {
  console.error(`scale-out: ${error.message}`);
  process.exitCode = 1;
}
killAll();
await rm(folder, { recursive: true, force: true });
process.exit();

async function story() {
  const redisPort = await freePort();
  const settings = ['--port', redisPort, '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const redis = start('redis-server', settings.map(String), { stdio: 'ignore' });
  redis.once('error', () => {
    console.error('scale-out: redis-server is not in the PATH (Debian: apt-get install redis-server)');
    process.exit(1);
  });
  await listens(redisPort, redis);
  console.log(`redis      127.0.0.1:${redisPort}`);

  const notes = await startListening([path.join(ROOT, 'examples/quickstart/servers/notes.mjs'), '--port', '0']);
  console.log(`notes      ${notes.url}`);

  const replicas = await startReplicas(await build(redisPort, notes.url));
  /** Name of the replica that handled the last POST. */
  let last = '';
  const proxy = await startProxy(replicas, (name, method) => {
    if (method === 'POST') last = name;
  });
  console.log(`proxy      ${proxy}\n`);

  const client = new Client({ name: 'scale-out', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(proxy));
  await client.connect(transport);
  const session = transport.sessionId;
  console.log(`Session ${session} was opened at replica ${last}. Calls in it:\n`);
  const search = async () => {
    const result = await client.callTool({ name: 'notes_search', arguments: { query: 'rollback' } });
    if (result.isError) throw new Error(`the call failed: ${JSON.stringify(result.content)}`);
    console.log(`  notes_search  answered by replica ${last}`);
  };
  for (let call = 0; call < CALLS; call++) await search();

  const [victim] = replicas;
  const died = events.once(victim.child, 'exit');
  victim.child.kill('SIGKILL');
  await died;
  console.log(`\nReplica ${victim.name} was killed (SIGKILL). The same client, the same session:\n`);
  for (let call = 0; call < CALLS; call++) await search();
  if (transport.sessionId !== session) throw new Error('the client had to open another session');
  console.log(`\n${2 * CALLS} calls, none lost, in one session.`);
  await transport.terminateSession();
  await client.close();
  if (!once) console.log(`\nServing at ${proxy}; Ctrl-C stops everything.`);
}

/** @returns {Promise<string>} the folder of the bundle */
async function build(redisPort, notesUrl) {
  const specs = path.join(folder, 'scale-out.yaml');
  const written = await readFile(path.join(import.meta.dirname, 'specs', 'scale-out.yaml'), 'utf8');
  const here = written
    .replace('127.0.0.1:6399', `127.0.0.1:${redisPort}`)
    .replace('http://127.0.0.1:4501/mcp', notesUrl)
    .replace('../../../schemas', path.join(ROOT, 'schemas'));
  await writeFile(specs, here);
  const out = path.join(folder, 'out');
  await run([path.join(ROOT, 'dist', 'lintel.js'), 'build', specs, '--out', out]);
  return out;
}

async function startReplicas(bundle) {
  const runtime = path.join(ROOT, 'dist', 'lintel-runtime.js');
  const addresses = ['--host', '127.0.0.1', '--port', '0', '--internal-address', '127.0.0.1:0'];
  const replicas = await Promise.all(
    NAMES.map(async name => {
      const { child, url, internal } = await startListening([runtime, '--bundle', bundle, ...addresses], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return { name, child, url, internal };
    }),
  );
  for (const { name, url, internal } of replicas) {
    while (!(await isReady(internal))) await new Promise(resolve => setTimeout(resolve, 50));
    console.log(`replica ${name}  ${url}`);
  }
  return replicas;
}

async function isReady(internal) {
  if (!(await fetch(`${internal}/readyz`)).ok) return false;
  const { sessionStorage } = await (await fetch(`${internal}/status`)).json();
  return sessionStorage.ready;
}
