/** Whatever an upstream responds, the entries of the last successful reading stay listed. */

import type { ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RegistryOrigin } from '#schemas';
import type { Snapshot } from '../../../runtime/registry/snapshot.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { type RawHandler, sendJson } from '../../support/raw-server.ts';
import { runs } from '../../support/runs.ts';
import {
  findSourceStatus,
  listed,
  page,
  readContents,
  server,
  source,
  sourceFile,
  type TestContents,
  upstream,
} from './harness.ts';

/** Faults of both kinds of upstream, and the message after the place. */
const MEGABYTE = Buffer.alloc(1024 * 1024, ' ');

function sendForEver(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(MEGABYTE));
  };
  response.on('drain', more);
  more();
}

const BOMB = gzipSync(Buffer.alloc(200 * 1024 * 1024));

const FAULTS: readonly [name: string, handler: RawHandler, cause: string][] = [
  ['404', (_, res) => sendJson(res, '{}', {}, 404), 'it answered 404'],
  ['500', (_, res) => sendJson(res, '{}', {}, 500), 'it answered 500'],
  ['503', (_, res) => void res.writeHead(503, { 'retry-after': '0' }).end(), 'it answered 503'],
  ['204', (_, res) => void res.writeHead(204).end(), 'it answered 204'],
  ['304 to an unconditional request', (_, res) => void res.writeHead(304).end(), 'it answered 304'],
  ['206', (_, res) => sendJson(res, '{}', {}, 206), 'it answered 206'],
  ['401', (_, res) => sendJson(res, '{}', {}, 401), 'it answered 401; the source has no credentials (auth)'],
  [
    'a redirect to another origin',
    (_, res) => void res.writeHead(302, { location: 'http://127.0.0.1:9/x?key=SECRET' }).end(),
    'it answered 302 and leads to http://127.0.0.1:9/x; redirects to another origin are not followed: configure the other address',
  ],
  [
    'redirects without end',
    (_, res) => void res.writeHead(302, { location: '?x' }).end(),
    'more than three redirects are not followed',
  ],
  [
    'a redirect to a file URL',
    (_, res) => void res.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    'it answered 302, a redirect without a valid address',
  ],
  [
    'a redirect without a location',
    (_, res) => void res.writeHead(302).end(),
    'it answered 302, a redirect without a valid address',
  ],
  ['an HTML page', (_, res) => sendJson(res, '<html>', { 'content-type': 'text/html' }), '(text/html): '],
  ['an empty body', (_, res) => void res.end(), 'is not JSON'],
  ['an empty JSON list', (_, res) => sendJson(res, '[]'), '{api}a page has no "servers"{url}must be a JSON object'],
  ['deeply nested JSON', (_, res) => sendJson(res, '['.repeat(200_000)), 'is not JSON'],
  [
    'well-formed and deeply nested JSON',
    (_, res) => {
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      sendJson(res, `{"servers":[{"server":${deep}}],"data":{"servers":[${deep}]}}`);
    },
    'is nested deeper than 64 levels',
  ],
  ['not UTF-8', (_, res) => void res.end(Buffer.from([0x22, 0xff, 0x22])), 'is not UTF-8'],
  ['a broken connection', (_, res) => void res.destroy(), 'the connection failed (UND_ERR_SOCKET)'],
  ['an incomplete answer', (_, res) => void res.write('{"servers"', () => res.destroy()), 'the connection failed'],
  [
    'an answer shorter than its content length',
    (_, res) => {
      res.writeHead(200, { 'content-length': '100' }).write('{}', () => res.destroy());
    },
    'the connection failed',
  ],
  [
    'a content length of 200 MB',
    (_, res) => void res.writeHead(200, { 'content-length': String(200 * 1024 * 1024) }).write('['),
    ' more than 104857600 bytes',
  ],
  [
    'a content coding that was not requested',
    (_, res) => void res.writeHead(200, { 'content-encoding': 'br' }).end('x'),
    'the answer has a content coding that was not asked for',
  ],
  [
    'two content codings',
    (_, res) => void res.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end('x'),
    'the answer has a content coding that was not asked for',
  ],
  [
    'invalid gzip data',
    (_, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end('{}'),
    'the answer is not whole gzip data',
  ],
  [
    'incomplete gzip data',
    (_, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}').subarray(0, 12)),
    'the answer is not whole gzip data',
  ],
  ['an endless body', (_, res) => sendForEver(res), ' more than 104857600 bytes'],
  [
    'a small answer that decompresses to 200 MB',
    (_, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
    'the answer unpacks to more than 104857600 bytes',
  ],
];

/** Faults that only a timeout ends. */
const STALLING: readonly [name: string, handler: RawHandler, cause: string][] = [
  ['silence', () => {}, 'no complete answer within 100 ms'],
  ['an answer that stalls', (_, res) => void res.write('{'), 'no complete answer within 100 ms'],
  [
    'an answer byte by byte',
    (_, res) => {
      const timer = setInterval(() => res.write(' '), 5);
      res.on('close', () => clearInterval(timer));
    },
    'no complete answer within 100 ms',
  ],
];

interface Kind {
  readonly good: string;
  from(origin: string, timeoutMs: number): RegistryOrigin;
}

const KINDS: Readonly<Record<'api' | 'url', Kind>> = {
  url: {
    good: sourceFile(server('io.example/good')),
    from: (origin, timeoutMs) => ({ type: 'url', url: `${origin}/servers.json?key=SECRET`, timeoutMs }),
  },
  api: {
    good: page([server('io.example/good')]),
    from: (origin, timeoutMs) => ({ type: 'api', endpoint: `${origin}/?key=SECRET`, timeoutMs }),
  },
};

/** Much longer than any response takes, however busy the machine is; milliseconds. */
const PATIENCE_MS = 15_000;

/** Contents after one successful reading; later responses are set by the test. */
async function goodContents(kind: 'api' | 'url') {
  const { good, from } = KINDS[kind];
  const sendGood: RawHandler = (_, response) => sendJson(response, good);
  const state = { handler: sendGood };
  const peer = await upstream((request, response) => state.handler(request, response));
  const planOf = (timeoutMs: number) => source(from(peer.origin, timeoutMs));
  const made = await readContents([planOf(PATIENCE_MS)]);
  return { ...made, state, sendGood, peer, planOf };
}

function expectGood({ contents }: TestContents, before: Snapshot | undefined): void {
  expect(contents.snapshots.get('team')).toBe(before);
  expect(listed(contents)).toEqual(['io.example/good@1.0.0']);
}

describe.each(['api', 'url'] as const)('%s', kind => {
  /** The part of a message for this kind: `{api}…{url}…`. */
  const ofKind = (cause: string) => new RegExp(`\\{${kind}\\}([^{]*)`).exec(cause)?.[1] ?? cause;

  /** @param timeoutMs of the requests that meet the fault */
  async function expectFault(handler: RawHandler, cause: string, timeoutMs: number): Promise<void> {
    const { state, sendGood, peer, planOf, contents: earlier } = await goodContents(kind);
    const before = earlier.snapshots.get('team');
    state.handler = handler;
    const met = await readContents([planOf(timeoutMs)], { earlier });
    expectGood(met, before);
    const { phase, attempts, message } = findSourceStatus(met.contents);
    expect({ phase, attempts }).toEqual({ phase: 'failed', attempts: 1 });
    expect(message).toContain(ofKind(cause));
    expect(message).toContain(`${peer.origin}/`);
    expect(message + JSON.stringify(met.log)).not.toContain('SECRET');
    state.handler = sendGood;
    const over = await readContents([planOf(PATIENCE_MS + 1)], { earlier: met.contents });
    expectGood(over, before);
    expect(findSourceStatus(over.contents)).toMatchObject({ phase: 'complete', attempts: 0, message: '' });
  }

  test.each(FAULTS)(
    'the registry server keeps the last good entries and reports the fault of an upstream: %s',
    (_name, handler, cause) => expectFault(handler, cause, PATIENCE_MS),
  );

  test.each(STALLING)(
    'the registry server gives up an upstream at the timeout, and keeps the last good entries: %s',
    (_name, handler, cause) => expectFault(handler, cause, 100),
  );

  test('the registry server reports an upstream that does not speak HTTP', async () => {
    const sockets = new Set<Socket>();
    const tcp = createTcpServer(socket => {
      sockets.add(socket);
      socket.on('error', () => {}).resume();
      socket.end('SSH-2.0-OpenSSH\r\n');
    });
    await new Promise<void>(resolve => tcp.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void tcp.close());
    const { port } = tcp.address() as { port: number };
    const { contents } = await readContents([source(KINDS[kind].from(`http://127.0.0.1:${port}`, 10_000))]);
    expect(findSourceStatus(contents)).toMatchObject({ phase: 'failed', servers: 0, lastSync: null });
    expect(findSourceStatus(contents).message).toContain('the answer is not HTTP');
  });

  test('the registry server reports an upstream whose port is closed', async () => {
    const peer = await upstream(() => {});
    await peer.close();
    const { contents } = await readContents([source(KINDS[kind].from(peer.origin, 10_000))]);
    expect(findSourceStatus(contents).message).toContain('the connection failed (ECONNREFUSED)');
  });

  test('the registry server keeps valid entries after any answer of an upstream', async () => {
    const { state, contents, log } = await goodContents(kind);
    const made = { contents, log };
    const before = contents.snapshots.get('team');
    const json = fc.jsonValue({ maxDepth: 4 });
    const servers = fc.array(fc.oneof(json, fc.record({ server: json, _meta: json }, { requiredKeys: [] })));
    const body = fc.oneof(
      fc.string({ unit: anyCharacter }).map(text => Buffer.from(text)),
      fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
      json.map(value => Buffer.from(JSON.stringify(value))),
      fc.record({ servers, metadata: json }).map(value => Buffer.from(JSON.stringify(value))),
      fc.record({ data: fc.record({ servers }), meta: json }).map(value => Buffer.from(JSON.stringify(value))),
      // All but the last byte of a valid one.
      fc.nat(KINDS[kind].good.length - 1).map(length => Buffer.from(KINDS[kind].good.slice(0, length))),
    );
    const status = fc.constantFrom(200, 200, 200, 201, 204, 301, 302, 304, 400, 404, 429, 500, 503);
    await fc.assert(
      fc.asyncProperty(body, status, async (bytes, code) => {
        // A cursor leads to the same response, so to an endless loop.
        state.handler = (_request, response) => void response.writeHead(code).end(bytes);
        await made.contents.refresh();
        expectGood(made, before);
        expect(findSourceStatus(made.contents).phase).toBe('failed');
        expect(findSourceStatus(made.contents).message).not.toContain('unexpected');
      }),
      { numRuns: runs(200) },
    );
  });
});
