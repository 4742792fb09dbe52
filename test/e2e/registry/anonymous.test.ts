/** A registry server that every client may read, and its metrics and status for operators. */
import { get } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION } from '#schemas';
import { readPrometheus } from '../../support/prometheus.ts';
import {
  anonymousConfig,
  listAllServers,
  type RegistryServer,
  server,
  sourceFile,
  startRegistry,
} from './registry-server.ts';

const NAMES = Array.from({ length: 75 }, (_, index) => `com.example/s${String(index).padStart(3, '0')}`);
const VERSIONS = ['1.0.0', '1.10.0', '1.9.0'];

let registry: RegistryServer;

beforeAll(async () => {
  registry = await startRegistry({
    'registry.yaml': anonymousConfig('{ name: ours, file: { path: DIR/servers.json } }'),
    'servers.json': sourceFile(NAMES.flatMap(name => VERSIONS.map(version => server(name, version)))),
  });
});

afterAll(() => registry[Symbol.asyncDispose]());

test('a registry server prints one line of JSON with its addresses, its digest and the URL of each registry', () => {
  const { event, url, internal, registry: name, digest, registries } = registry;
  expect({ event, url, internal, name, digest, registries }).toEqual({
    event: 'listening',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    internal: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    name: 'default/demo',
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    registries: { main: `${url}/registry/main/v0.1/servers` },
  });
});

test('a client pages through all entries of a registry server by name, newest version first', async () => {
  const expected = NAMES.flatMap(name => ['1.10.0', '1.9.0', '1.0.0'].map(version => `${name}@${version}`));
  expect(await listAllServers(registry.main, 30)).toEqual(expected);
});

test.each([
  ['/health', 200, { status: 'healthy' }],
  ['/readiness', 200, { status: 'ready' }],
  ['/version', 200, { version: VERSION, digest: expect.stringMatching(/^sha256:/) }],
  [
    '/status',
    200,
    {
      registry: { namespace: 'default', name: 'demo' },
      bundle: { refused: null, staleSecurity: [] },
      ready: true,
      registries: [{ name: 'main', sources: ['ours'] }],
      sources: [{ name: 'ours', type: 'file', phase: 'complete', servers: 225, message: '' }],
      authentication: { mode: 'anonymous', providers: [] },
      authorization: { type: 'none', ruleCount: 0 },
    },
  ],
])('a registry server answers %s on its internal address, and not on its main address', async (path, status, body) => {
  const response = await fetch(`${registry.internal}${path}`);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject(body);
  expect((await fetch(`${registry.url}${path}`)).status).toBe(404);
  expect((await fetch(`${registry.internal}${path}`, { method: 'POST' })).status).toBe(405);
});

test('the metrics of a registry server count requests, and are only on its internal address', async () => {
  const url = registry.main;
  const count = async (status: string) => {
    const response = await fetch(`${registry.internal}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const samples = readPrometheus(await response.text()).get('lintel_registry_requests_total')?.samples ?? [];
    const found = samples.find(({ labels }) => labels.operation === 'servers' && labels.status === status);
    return found?.value ?? 0;
  };
  const [good, bad] = [await count('2xx'), await count('4xx')];
  for (const query of ['', '?limit=1', '?limit=0']) await (await fetch(url + query)).text();
  // The absolute form of a request target has the path in it (RFC 9112, section 3.2.2).
  await new Promise(done => get({ port: new URL(url).port, path: url }, answer => answer.resume().on('end', done)));
  // A response is counted when its connection has taken it, which may be after the client has received it.
  await expect.poll(() => count('2xx')).toBe(good + 3);
  await expect.poll(() => count('4xx')).toBe(bad + 1);
  expect((await fetch(`${registry.url}/metrics`)).status).toBe(404);
});

test('a registry server does not serve its registries on the internal address', async () => {
  expect((await fetch(`${registry.internal}/registry/main/v0.1/servers`)).status).toBe(404);
});
