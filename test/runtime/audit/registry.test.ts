/** What a registry server's audit log records: which caller read which entries from which registry. */
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger, serve } from '#runtime';
import { formatCanonicalJson } from '#schemas';
import type { RegistryStatusPage } from '../../../runtime/index.ts';
import { compileConfig, getBundle } from '../../compiler/registry/compiling.ts';
import { eventually, temporaryFolder } from '../../support/process.ts';
import { server, sourceFile } from '../registry-contents/harness.ts';
import { recordsIn } from './audited-gateway.ts';

const NAME = 'com.example/search';
const SERVER = server(NAME, '1.0.0');
const ANONYMOUS = 'auth: { mode: anonymous }\n';
const OAUTH = `auth:
  authz: { roles: { superAdmin: [{ role: admin }] } }
  oauth:
    resourceUrl: https://r.example.com
    providers: [{ name: corp, issuerUrl: https://login.example.com/, audience: r }]
`;

async function startRegistry(auth: string, audit: string) {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const file = folder.file('audit.jsonl');
  await folder.write({ 'servers.json': sourceFile(SERVER) });
  const config = (settings: string) => `sources: [{ name: a, file: { path: ${folder.file('servers.json')} } }]
registries: [{ name: main, sources: [a] }]
${auth}audit: ${settings.replace('FILE', file)}
`;
  const write = (settings: string) =>
    folder.write({ 'bundle.json': formatCanonicalJson(getBundle(compileConfig(config(settings)))) });
  await write(audit);
  const loopback = { host: '127.0.0.1', port: 0 };
  const runtime = await serve(
    { bundle: folder.file('bundle.json'), gateway: undefined, listen: loopback, internal: loopback, watch: true },
    createLogger('silent'),
  );
  onTestFinished(() => runtime.stop());
  await eventually(async () => (await fetch(`${runtime.internalUrl}/readiness`)).ok);
  const status = async () => (await (await fetch(`${runtime.internalUrl}/status`)).json()) as RegistryStatusPage;
  return {
    status,
    write,
    get: async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(`${runtime.url}${path}`, init);
      await answer.arrayBuffer();
      return answer.status;
    },
    records: async (count: number) =>
      await eventually(async () => {
        const records = recordsIn(await readFile(file, 'utf8').catch(() => ''));
        return records.length >= count ? records : undefined;
      }),
  };
}

const ENABLED = '{ enabled: true, logFile: FILE }';

test('the registry server writes one audit record for each read', async () => {
  const { get, records, status } = await startRegistry(ANONYMOUS, ENABLED);
  const base = '/registry/main/v0.1/servers';
  const name = encodeURIComponent(NAME);
  const asked: readonly (readonly [path: string, status: number, init?: RequestInit])[] = [
    [`${base}?search=secret`, 200],
    [`${base}/${name}/versions`, 200],
    [`${base}/${name}/versions/1.0.0`, 200],
    [`${base}/nothing/versions`, 404],
    [base, 405, { method: 'POST' }],
  ];
  for (const [path, expected, init] of asked) expect(await get(path, init), path).toBe(expected);
  expect(await get('/openapi.json'), 'records nothing').toBe(200);
  expect(await get('/elsewhere'), 'records nothing').toBe(404);
  await get(base);
  const all = await records(6);
  expect(all.map(({ type, outcome }) => `${type} ${outcome}`)).toEqual([
    'server.list success',
    'server.versions.list success',
    'server.version.read success',
    'server.versions.list failure',
    'server.list failure',
    'server.list success',
  ]);
  expect(all[2]).toMatchObject({
    component: 'lintel-registry-api',
    source: { type: 'network', value: '127.0.0.1' },
    subjects: { user: 'anonymous' },
    target: {
      path: `${base}/${name}/versions/1.0.0`,
      method: 'GET',
      resource_type: 'server',
      resource_name: NAME,
      registry_name: 'main',
      version: '1.0.0',
    },
    metadata: { extra: { http_status: 200, bundle_digest: expect.stringMatching(/^sha256:/) } },
  });
  expect(JSON.stringify(all)).not.toContain('secret');
  expect((await status()).audit).toMatchObject({ written: 6, dropped: 0 });
});

test('the registry server records a request without a token as denied', async () => {
  const { get, records } = await startRegistry(OAUTH, ENABLED);
  expect(await get('/registry/main/v0.1/servers')).toBe(401);
  expect(await records(1)).toMatchObject([
    { type: 'auth.unauthenticated', outcome: 'denied', subjects: { user: 'anonymous' } },
  ]);
});

test('the registry server writes no audit record of an event in excludeEventTypes until a new bundle removes it from this list', async () => {
  const { get, records, status, write } = await startRegistry(
    ANONYMOUS,
    '{ enabled: true, logFile: FILE, excludeEventTypes: [server.list] }',
  );
  await get('/registry/main/v0.1/servers');
  const { digest } = (await status()).bundle;
  await write(ENABLED);
  await eventually(async () => (await status()).bundle.digest !== digest);
  await get('/registry/main/v0.1/servers');
  expect(await records(1)).toHaveLength(1);
  await write('{ enabled: false }');
  await eventually(async () => (await status()).audit === undefined);
});
