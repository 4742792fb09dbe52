/** Another bundle replaces the one that is served, under load; an invalid one does not. */
import { writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { expect, test } from 'vitest';
import { listBundleFiles, writeFiles } from '#compiler';
import { gatewayBundle } from '../../support/gateway.ts';
import { eventually } from '../../support/process.ts';
import { readPrometheus } from '../../support/prometheus.ts';
import {
  anonymousConfig,
  findPage,
  listAllServers,
  listServerNames,
  type RegistryServer,
  server,
  sourceFile,
  startRegistry,
  writeInto,
} from './registry-server.ts';

const CONFIG = anonymousConfig('{ name: ours, file: { path: DIR/servers.json } }');

/** The configuration with a filter that leaves out one entry, which gives another bundle. */
const without = (name: string) =>
  anonymousConfig(`{ name: ours, file: { path: DIR/servers.json }, filter: { names: { exclude: ["${name}"] } } }`);

const SERVERS = { 'servers.json': sourceFile(['a/a', 'a/b', 'a/c', 'a/d', 'a/e'].map(name => server(name))) };

test('a registry server answers every request while it replaces its bundle, and its metrics keep counting', async () => {
  await using registry = await startRegistry({ 'registry.yaml': CONFIG, ...SERVERS }, ['--watch']);
  const load = startLoad(registry.main);
  // Lists one page each time, more often where the file is read late.
  let lists = 0;
  const listed = () => {
    lists += 1;
    return listAllServers(registry.main);
  };
  for (const name of ['a/a', 'a/b', 'a/c', 'a/d']) {
    const { digest } = (await registry.status()).bundle;
    await writeInto(registry.folder, { 'registry.yaml': without(name) });
    await registry.build();
    await eventually(async () => (await registry.status()).bundle.digest !== digest);
    expect(await listed()).not.toContain(`${name}@1.0.0`);
    // Entries that the previous filter left out come with the next reading of the file.
    await eventually(async () => (await listed()).length === 4);
  }
  const statuses = await load.stop();
  expect(statuses.length).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set([200]));
  const metrics = readPrometheus(await (await fetch(`${registry.internal}/metrics`)).text());
  const counted = metrics
    .get('lintel_registry_requests_total')
    ?.samples.map(({ labels, value }) => [labels.status, value]);
  expect(counted).toEqual([['2xx', statuses.length + lists]]);
});

test('a cursor from one bundle of a registry server is valid in the next bundle', async () => {
  await using registry = await startRegistry({ 'registry.yaml': CONFIG, ...SERVERS }, ['--watch']);
  const first = await findPage(registry.main, { limit: '2' });
  expect(listServerNames(first)).toEqual(['a/a@1.0.0', 'a/b@1.0.0']);
  await writeInto(registry.folder, { 'registry.yaml': without('a/b') });
  await registry.build();
  const cursor = first.metadata.nextCursor ?? '';
  await eventually(async () => (await listAllServers(registry.main)).length === 4);
  expect(listServerNames(await findPage(registry.main, { limit: '2', cursor }))).toEqual(['a/c@1.0.0', 'a/d@1.0.0']);
});

test.each<[what: string, spoil: (registry: RegistryServer) => Promise<void>, message: RegExp]>([
  [
    'not JSON',
    ({ folder }) => writeFile(folder.file('out/index.json'), '{"formatVersion": 1,'),
    /index\.json: is not JSON/,
  ],
  [
    'of a gateway',
    ({ folder }) =>
      writeFiles(folder.file('out'), listBundleFiles([{ bundle: gatewayBundle({ backends: [] }) }]).files),
    /bundle\.json: is of kind "gateway", and this process serves a registry; start another process for it/,
  ],
])(
  'a registry server keeps its running bundle if the new bundle is %s, and /status and the log report it',
  async (_, spoil, message) => {
    await using registry = await startRegistry({ 'registry.yaml': CONFIG, ...SERVERS }, ['--watch']);
    const { digest } = registry;
    await spoil(registry);
    await registry.program.stderr.next(/the new bundle is refused, and the running bundle stays/);
    expect((await registry.status()).bundle).toMatchObject({
      digest,
      refused: expect.stringMatching(message),
      staleSecurity: ['auth', 'authorization', 'publicPaths', 'claims'],
    });
    expect(await listAllServers(registry.main)).toHaveLength(5);
    expect((await fetch(`${registry.internal}/readiness`)).status).toBe(200);
    await registry.build();
    await eventually(async () => (await registry.status()).bundle.refused === null);
  },
);

/** Clients that send requests in sequence on kept-alive connections; `stop` returns the statuses, 0 for none. */
function startLoad(url: string): { stop(): Promise<number[]> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const statuses: number[] = [];
  let isStopped = false;
  const client = async () => {
    while (!isStopped) statuses.push(await statusOf(url, agent));
  };
  const clients = Array.from({ length: 4 }, client);
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all(clients);
      agent.destroy();
      return statuses;
    },
  };
}

function statusOf(url: string, agent: Agent): Promise<number> {
  return new Promise(resolve => {
    get(url, { agent }, answer => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      answer.on('error', () => resolve(0));
    }).on('error', () => resolve(0));
  });
}
