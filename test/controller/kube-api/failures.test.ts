/** Failures that tests can inject into the server, and that a real one has only rarely. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ApiClient,
  createUser,
  type Fault,
  type KubeApi,
  startKubeApi,
  type WatchLine,
} from '../../support/kube-api/index.ts';
import { eventually } from '../../support/process.ts';
import { configMap } from './objects.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const TYPE = { apiVersion: 'v1', kind: 'ConfigMap' };
const KEY = { ...TYPE, namespace: 'default', name: 'a' };

let api: KubeApi;
let client: ApiClient;

beforeEach(async () => {
  api = await startKubeApi({ tokens: { 'of-jane': createUser('jane') } });
  client = new ApiClient(api.connection());
});
afterEach(() => api.close());

const create = () =>
  client.request('POST', PATH, { body: configMap('a', { data: { k: 'v' } }), query: { fieldManager: 'm' } });
const version = () => api.resourceVersion;

test.for<[Extract<Fault, { status: number }>, string]>([
  [{ status: 409 }, 'Conflict'],
  [{ status: 429, retryAfter: 3 }, 'TooManyRequests'],
  [{ status: 500 }, 'InternalError'],
  [{ status: 503 }, 'ServiceUnavailable'],
  [{ status: 504 }, 'Timeout'],
])(
  'the test API server answers one request with the fault %j, and the request has no effect',
  async ([fault, reason]) => {
    api.faults.next({ verb: 'create', kind: 'ConfigMap' }, fault);
    const { status, body, headers } = await create();
    expect({ status, reason: body.reason, after: headers['retry-after'] }).toEqual({
      status: fault.status,
      reason,
      after: fault.retryAfter === undefined ? undefined : String(fault.retryAfter),
    });
    expect(api.objects(TYPE)).toEqual([]);
    expect((await create()).status).toBe(201);
  },
);

test.for([
  ['before', undefined],
  ['after', 'v'],
] as const)('the test API server can break a connection %s a request takes effect', async ([drop, value]) => {
  api.faults.next({ verb: 'create' }, { drop });
  await expect(create()).rejects.toThrow();
  expect((api.get(KEY)?.data as { k?: string } | undefined)?.k).toBe(value);
  expect(api.logged({ verb: 'create' }).map(({ status }) => status)).toEqual([0]);
});

test('the test API server holds a request until the test releases it', async () => {
  const gate = Promise.withResolvers<void>();
  api.faults.next({ verb: 'create' }, { hold: gate.promise });
  const answer = create();
  await client.request('GET', PATH);
  expect(api.objects(TYPE)).toEqual([]);
  gate.resolve();
  expect((await answer).status).toBe(201);
});

test('the test API server applies a fault only to matching requests, and only as often as the test asks for', async () => {
  api.faults.next({ verb: 'get', name: 'b', when: ({ user }) => user.name === 'admin' }, { status: 500 }, 2);
  const statuses = [];
  for (const name of ['a', 'b', 'b', 'b']) statuses.push((await client.request('GET', `${PATH}/${name}`)).status);
  expect(statuses).toEqual([404, 500, 500, 404]);
  expect(api.faults.pending).toBe(0);
});

test('the log of the test API server has the user, the verb and the status of each request, and marks writes', async () => {
  await create();
  await client.apply(`${PATH}/a`, 'lintel', configMap('a', { data: { k: 'v' } }), { dryRun: 'All' });
  await client.request('GET', `${PATH}/a`, {
    headers: { 'impersonate-user': 'system:serviceaccount:default:deployer' },
  });
  expect(
    api.requests.map(({ verb, name, user, impersonator, dryRun, manager, status }) => ({
      verb,
      name,
      user: user.name,
      by: impersonator?.name,
      dryRun,
      manager,
      status,
    })),
  ).toEqual([
    { verb: 'create', name: '', user: 'admin', by: undefined, dryRun: false, manager: 'm', status: 201 },
    { verb: 'apply', name: 'a', user: 'admin', by: undefined, dryRun: true, manager: 'lintel', status: 200 },
    {
      verb: 'get',
      name: 'a',
      user: 'system:serviceaccount:default:deployer',
      by: 'admin',
      dryRun: false,
      manager: expect.any(String),
      status: 200,
    },
  ]);
  expect(api.writes().map(({ verb }) => verb)).toEqual(['create']);
});

test('the test API server calls onRequest before a request takes effect, and again before it answers', async () => {
  const seen: string[] = [];
  api.onRequest = ({ verb }, phase) => void seen.push(`${phase} ${verb}: ${api.objects(TYPE).length}`);
  await create();
  expect(seen).toEqual(['before create: 0', 'after create: 1']);
});

test('the test API server refuses an unknown token and an impersonation that is not permitted', async () => {
  const stranger = new ApiClient({ url: api.url, token: 'guessed' });
  expect((await stranger.request('GET', PATH)).status).toBe(401);
  api.authorize = ({ verb, user }) => verb !== 'impersonate' || user.name === 'admin';
  const jane = new ApiClient(api.connection('of-jane'));
  const headers = { 'impersonate-user': 'system:serviceaccount:default:deployer' };
  const { status, body } = await jane.request('GET', PATH, { headers });
  expect(status).toBe(403);
  expect(body.message).toBe(
    'serviceaccounts "deployer" is forbidden: User "jane" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "default"',
  );
  expect((await client.request('GET', PATH, { headers })).status).toBe(200);
});

test('a test can set and advance the clock of the test API server', () => {
  api.clock.set('2026-01-02T03:04:05Z');
  api.put({ ...TYPE, metadata: { name: 'a', namespace: 'default' } });
  api.clock.advance(-3_600_000);
  api.put({ ...TYPE, metadata: { name: 'b', namespace: 'default' } });
  expect(api.objects(TYPE).map(({ metadata }) => metadata.creationTimestamp)).toEqual([
    '2026-01-02T03:04:05Z',
    '2026-01-02T02:04:05Z',
  ]);
});

test('a test can write an object as a given field manager, and the test API server neither logs nor fails this write', () => {
  api.faults.each({}, { status: 500 });
  api.put(
    { ...configMap('a', { data: { k: 'v' } }), ...TYPE, metadata: { name: 'a', namespace: 'default' } },
    'kubectl-edit',
  );
  expect(api.get(KEY)?.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['kubectl-edit']);
  api.remove(KEY);
  expect([api.get(KEY), api.requests.length]).toEqual([undefined, 0]);
});

/** Reads a watch until it ends. */
async function read(resourceVersion: string, query: object = {}): Promise<WatchLine[]> {
  const lines: WatchLine[] = [];
  for await (const line of client.watch(PATH, { resourceVersion, ...query })) lines.push(line);
  return lines;
}
const open = () => eventually(() => api.watches().length === 1);
const types = (lines: readonly WatchLine[]) =>
  lines.map(({ type, object }) => (type === 'ERROR' ? `ERROR ${object.code}` : type));

test('the test API server answers with 410 a watch or a page of a list that continues from before a compaction', async () => {
  const before = version();
  for (const name of ['a', 'b']) await client.request('POST', PATH, { body: configMap(name) });
  const page = await client.request('GET', PATH, { query: { limit: 1 } });
  api.compact();
  expect(types(await read(before))).toEqual(['ERROR 410']);
  const { continue: next } = page.body.metadata as { readonly continue: string };
  const { status, body } = await client.request('GET', PATH, { query: { limit: 1, continue: next } });
  expect([status, body.reason]).toEqual([410, 'Expired']);
});

test('the test API server refuses a watch from a resource version that does not exist yet', async () => {
  await expect(read(String(Number(version()) + 1_000))).rejects.toThrow('Too large resource version');
});

test('a test can end, break and expire an open watch, and send bookmarks to it', async () => {
  const ended = read(version(), { allowWatchBookmarks: true });
  await open();
  await create();
  api.bookmark();
  api.endWatches();
  const lines = await ended;
  expect(types(lines)).toEqual(['ADDED', 'BOOKMARK']);
  expect(lines[1]?.object.metadata).toEqual({ resourceVersion: version() });

  const expired = read(version());
  await open();
  api.expireWatches({ kind: 'ConfigMap' });
  expect(types(await expired)).toEqual(['ERROR 410']);

  const broken = read(version());
  await open();
  api.dropWatches();
  await expect(broken).rejects.toThrow();
});

test.for<[Fault, string[]]>([
  [{ expireWatch: true }, ['ERROR 410']],
  [{ endWatchAfter: 2 }, ['ADDED', 'MODIFIED']],
  [{ endWatchAfter: 0 }, []],
])('the fault %j makes the test API server end a watch', async ([fault, seen]) => {
  const from = version();
  await create();
  for (const k of ['w', 'x']) await client.apply(`${PATH}/a`, 'm', configMap('a', { data: { k } }), { force: true });
  api.faults.next({ verb: 'watch' }, fault);
  expect(types(await read(from))).toEqual(seen);
});

test('the test API server can send only bookmarks to a watch', async () => {
  api.faults.next({ verb: 'watch' }, { bookmarksOnly: true });
  const lines = read(version(), { allowWatchBookmarks: true });
  await open();
  await create();
  api.bookmark();
  api.endWatches();
  expect(types(await lines)).toEqual(['BOOKMARK']);
});

test('deleting a namespace of the test API server deletes all its objects', async () => {
  api.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  api.put({ ...TYPE, metadata: { name: 'a', namespace: 'team' } });
  await client.request('DELETE', '/api/v1/namespaces/team');
  expect(api.objects(TYPE)).toEqual([]);
});
