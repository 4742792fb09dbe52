/** How a registry server reads entries from another registry's API. */
import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHttpClient } from '../../../runtime/http/client.ts';
import { type ApiLimits, createApiReader } from '../../../runtime/registry/sources/read-api.ts';
import { type RawHandler, sendJson } from '../../support/raw-server.ts';
import { findSourceStatus, listed, page, readContents, server, source, TAKE_ALL, upstream } from './harness.ts';

const from = (endpoint: string, filter = TAKE_ALL) => source({ type: 'api', endpoint, timeoutMs: 10_000 }, { filter });

/** An upstream that sends each of these pages for the cursor that leads to it; the first page has none. */
const pages =
  (byCursor: Readonly<Record<string, string>>): RawHandler =>
  (request, response) => {
    const cursor = new URL(request.path, 'http://x').searchParams.get('cursor') ?? '';
    sendJson(response, byCursor[cursor] ?? '{"error":"no such cursor"}', {}, cursor in byCursor ? 200 : 400);
  };

test('the registry server reads all pages of an upstream API, and lists the entries by name and version', async () => {
  const peer = await upstream(
    pages({
      '': page([server('io.example/c'), server('io.example/a', '2.0.0')], 'a b&c=/é'),
      'a b&c=/é': page([], 'third'),
      third: page([server('io.example/a', '1.0.0')], ''),
    }),
  );
  const { contents } = await readContents([from(peer.origin)]);
  expect(listed(contents)).toEqual(['io.example/a@1.0.0', 'io.example/a@2.0.0', 'io.example/c@1.0.0']);
  expect(peer.requests.map(({ path }) => path)).toEqual([
    '/v0.1/servers?limit=100&include_deleted=true',
    '/v0.1/servers?limit=100&include_deleted=true&cursor=a+b%26c%3D%2F%C3%A9',
    '/v0.1/servers?limit=100&include_deleted=true&cursor=third',
  ]);
});

test.each([
  ['/', '/v0.1/servers?limit=100&include_deleted=true'],
  ['/registry/main', '/registry/main/v0.1/servers?limit=100&include_deleted=true'],
  ['/registry/main//', '/registry/main/v0.1/servers?limit=100&include_deleted=true'],
  ['/api?tenant=7', '/api/v0.1/servers?tenant=7&limit=100&include_deleted=true'],
])('the registry server requests the path below the endpoint %s of an upstream API', async (endpoint, expected) => {
  const peer = await upstream((_, response) => sendJson(response, page([server('io.example/a')])));
  await readContents([from(`${peer.origin}${endpoint}`)]);
  expect(peer.requests.map(({ path }) => path)).toEqual([expected]);
});

test('the registry server keeps the status that an upstream API gives an entry', async () => {
  const official = {
    status: 'deprecated',
    publishedAt: '2025-01-02T03:04:05Z',
    updatedAt: '2025-02-03T04:05:06.5+01:00',
    isLatest: true,
  };
  const peer = await upstream((_, response) =>
    sendJson(
      response,
      JSON.stringify({
        servers: [
          {
            server: server('io.example/a', '1.0.0', { title: 'A' }),
            _meta: { 'io.modelcontextprotocol.registry/official': official },
          },
        ],
      }),
    ),
  );
  const { contents } = await readContents([from(peer.origin)]);
  const [entry] = contents.snapshots.get('team')?.entries ?? [];
  expect(entry).toMatchObject({
    title: 'A',
    status: 'deprecated',
    publishedAt: '2025-01-02T03:04:05.000Z',
    updatedAt: '2025-02-03T03:05:06.500Z',
  });
  expect(JSON.parse(Buffer.from(entry?.json ?? []).toString())).toEqual(
    server('io.example/a', '1.0.0', { title: 'A' }),
  );
});

test('the registry server reads deleted entries of an upstream API, with the reason and the time of the deletion', async () => {
  const official = { status: 'deleted', statusMessage: 'Not kept up', statusChangedAt: '2025-03-04T05:06:07+01:00' };
  const _meta = { 'io.modelcontextprotocol.registry/official': official };
  const deleted = JSON.stringify({ servers: [{ server: server('io.example/a'), _meta }] });
  const kept = page([server('io.example/b')]);
  const peer = await upstream(({ path }, response) =>
    sendJson(response, new URL(path, 'http://x').searchParams.get('include_deleted') === 'true' ? deleted : kept),
  );
  const { contents } = await readContents([from(peer.origin)]);
  expect(contents.snapshots.get('team')?.entries).toMatchObject([
    { name: 'io.example/a', ...official, statusChangedAt: '2025-03-04T04:06:07.000Z' },
  ]);
});

test('the registry server leaves out and counts an invalid entry of an upstream API, and lists the other entries', async () => {
  const peer = await upstream(
    pages({
      '': page([server('io.example/a'), { name: 'no slash', version: '1.0.0', description: 'x' }], 'next'),
      next: page([server('io.example/b'), { name: 'io.example/c' }]),
    }),
  );
  const { contents, log } = await readContents([from(peer.origin)]);
  expect(listed(contents)).toEqual(['io.example/a@1.0.0', 'io.example/b@1.0.0']);
  const { phase, message } = findSourceStatus(contents);
  expect(phase).toBe('complete');
  expect(message).toMatch(/^2 of 4 servers are not valid, and left out: "no slash": \/server\/name /);
  await contents.refresh();
  expect(log.filter(({ msg }) => msg === 'the source was read with a notice')).toHaveLength(1);
});

test('the registry server lists an entry with a newer $schema if it fits the newest known schema, and a notice says so', async () => {
  const dated = (name: string, date: string, more = {}) =>
    server(name, '1.0.0', {
      $schema: `https://static.modelcontextprotocol.io/schemas/${date}/server.schema.json`,
      ...more,
    });
  const peer = await upstream(
    pages({
      '': page([
        dated('io.example/a', '2999-01-31', { later: true }),
        dated('io.example/b', '2999-01-31', { title: 5 }),
        dated('io.example/c', '2999-02-30'),
        dated('io.example/d', '2025-12-11'),
      ]),
    }),
  );
  const { contents, log } = await readContents([from(peer.origin)]);
  expect(listed(contents)).toEqual(['io.example/a@1.0.0', 'io.example/d@1.0.0']);
  const { phase, message } = findSourceStatus(contents);
  expect(phase).toBe('complete');
  expect(message).toMatch(/^2 of 4 servers are not valid, and left out: "io.example\/b": \/server\/title /);
  expect(message).toContain(
    '; 1 of 4 servers is of a newer $schema than 2025-12-11; the registry lists servers that are valid',
  );
  expect(log.filter(({ msg }) => msg === 'the source was read with a notice')).toHaveLength(1);
});

test('the registry server lists the first of two upstream entries with the same name and version', async () => {
  const peer = await upstream(
    pages({
      '': page([server('io.example/a', '1.0.0', { description: 'first' })], 'next'),
      next: page([server('io.example/a', '1.0.0', { description: 'second' }), server('io.example/b')]),
    }),
  );
  const { contents } = await readContents([from(peer.origin)]);
  expect(contents.snapshots.get('team')?.entries.map(({ description }) => description)).toEqual([
    'first',
    'What io.example/b does',
  ]);
});

test('the filter of a source decides which upstream entries are listed', async () => {
  const peer = await upstream(pages({ '': page([server('io.example/a'), server('com.example/a')]) }));
  const filter = { ...TAKE_ALL, names: { include: [], exclude: ['com.*'] } };
  const { contents } = await readContents([from(peer.origin, filter)]);
  expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
});

describe('a faulty page', () => {
  const GOOD = page([server('io.example/b')], 'next');
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['HTML', { '': '<html>' }, 'a page is not JSON'],
    ['incomplete JSON', { '': GOOD.slice(0, -3) }, 'a page is not JSON'],
    ['null', { '': 'null' }, 'a page has no "servers"; check whether the URL is the API of a registry'],
    ['an error in JSON', { '': '{"error":"x"}' }, 'a page has no "servers"'],
    ['a list', { '': '[]' }, 'a page has no "servers"'],
    ['no servers', { '': page([]) }, 'it lists no servers'],
    ['only invalid servers', { '': page([{ name: 'x' }]) }, 'none of its 1 servers is valid: "x": /server'],
    [
      'servers that are not objects',
      { '': '{"servers":[null,[],"x"]}' },
      'none of its 3 servers is valid: an entry without a name',
    ],
    ['a cursor that leads to an error', { '': GOOD }, 'it answered 400'],
    ['a cursor that leads to itself', { '': GOOD, next: GOOD }, 'its pages repeat'],
    ['a longer circle of cursors', { '': GOOD, next: page([], 'other'), other: page([], 'next') }, 'its pages repeat'],
    ['a cursor that is a number', { '': '{"servers":[],"metadata":{"nextCursor":7}}' }, '"nextCursor" is not a text'],
    ['a cursor that is too long', { '': page([], 'x'.repeat(4_097)) }, '"nextCursor" is not a text of at most 4096'],
    ['a faulty second page', { '': GOOD, next: 'x' }, 'a page is not JSON'],
  ])(
    'the registry server keeps the entries of the last good reading after a faulty page: %s',
    async (_name, byCursor, cause) => {
      let handler: RawHandler = pages({ '': page([server('io.example/a')]) });
      const peer = await upstream((request, response) => handler(request, response));
      const { contents } = await readContents([from(peer.origin)]);
      const before = contents.snapshots;
      handler = pages(byCursor);
      await contents.refresh();
      expect(contents.snapshots).toBe(before);
      expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
      expect(findSourceStatus(contents)).toMatchObject({ phase: 'failed', attempts: 1, servers: 1 });
      expect(findSourceStatus(contents).message).toContain(`${peer.origin}/v0.1/servers: ${cause}`);
    },
  );
});

describe('limits of all pages together', () => {
  const USUAL: ApiLimits = { pages: 1_000, servers: 100_000, bytes: 1_000_000, durationMs: 60_000 };
  const endless: RawHandler = (request, response) => {
    const number = Number(new URL(request.path, 'http://x').searchParams.get('cursor') ?? 0);
    sendJson(response, page([server(`io.example/${number}`)], String(number + 1)));
  };

  test.each<[string, Partial<ApiLimits>, string, number]>([
    ['pages', { pages: 5 }, 'it has more than 5 pages', 5],
    ['servers', { servers: 5 }, 'it lists more than 5 servers', 6],
    ['bytes', { bytes: 1_000 }, 'the pages have more than 1000 bytes', 8],
  ])(
    'the registry server stops reading an upstream API when all its pages together exceed a limit: %s',
    async (_name, limits, cause, requests) => {
      const peer = await upstream(endless);
      const client = createHttpClient({ addresses: 'any' });
      onTestFinished(() => client.close());
      const origin = { endpoint: peer.origin, timeoutMs: 10_000 };
      const read = createApiReader(client, origin, TAKE_ALL, { ...USUAL, ...limits });
      await expect(read(null, new AbortController().signal)).rejects.toThrow(cause);
      expect(peer.requests.length).toBeLessThanOrEqual(requests);
    },
  );

  test('the registry server stops reading an upstream API when all its pages together take longer than the timeout', async () => {
    const peer = await upstream((request, response) => {
      if (request.path.includes('cursor')) return;
      sendJson(response, page([server('io.example/a')], 'next'));
    });
    const client = createHttpClient({ addresses: 'any' });
    onTestFinished(() => client.close());
    const origin = { endpoint: peer.origin, timeoutMs: 10_000 };
    const read = createApiReader(client, origin, TAKE_ALL, { ...USUAL, durationMs: 200 });
    await expect(read(null, new AbortController().signal)).rejects.toThrow('not all pages within 200 ms');
  });
});

test('the registry server reads ten thousand servers of an upstream API', async () => {
  const all = Array.from({ length: 10_000 }, (_, number) =>
    server(`io.example/server-${String(number).padStart(5, '0')}`),
  );
  const peer = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x');
    const start = Number(searchParams.get('cursor') ?? 0);
    const end = start + Number(searchParams.get('limit'));
    response.end(page(all.slice(start, end), end < all.length ? String(end) : undefined));
  });
  await new Promise<void>(resolve => peer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void peer.close());
  const { port } = peer.address() as { port: number };
  const { contents } = await readContents([from(`http://127.0.0.1:${port}`)]);
  expect(listed(contents)).toEqual(all.map(({ name, version }) => `${name}@${version}`));
});
