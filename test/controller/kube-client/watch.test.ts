import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKubeClient, type WatchEvent } from '../../../controller/kube/index.ts';
import { LineTooLongError, splitLines } from '../../../controller/kube/lines.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { startRawServer } from '../../support/raw-server.ts';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

async function* chunksOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function collected(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe('lines', () => {
  test('the Kubernetes client reads the lines of a watch wherever chunks of data end, even within a character', async () => {
    const lines = fc.array(fc.string({ unit: anyCharacter, minLength: 1 }).map(text => text.replaceAll('\n', '␊')));
    await fc.assert(
      fc.asyncProperty(lines, fc.array(fc.nat(500)), async (expected, cuts) => {
        const bytes = Buffer.from(expected.map(line => `${line}\n`).join(''));
        const ends = [...cuts.filter(cut => cut <= bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        // Lone surrogates cannot be sent as UTF-8.
        const sent = bytes.toString('utf8').split('\n').slice(0, -1);
        expect(await collected(splitLines(chunksOf(chunks), 10_000))).toEqual(sent);
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  test('the Kubernetes client ignores the last line of a watch if its line break is missing', async () => {
    expect(await collected(splitLines(chunksOf([Buffer.from('a\nb')]), 10))).toEqual(['a']);
  });

  test.each([[['0123456789a\n']], [['01234', '56789', 'a']], [['01234', '56789a\n']]])(
    'the Kubernetes client fails at a watch line beyond the size limit: %j',
    async chunks => {
      const lines = splitLines(chunksOf(chunks.map(chunk => Buffer.from(chunk))), 10);
      await expect(collected(lines)).rejects.toThrow(LineTooLongError);
    },
  );
});

describe('a watch', () => {
  async function watching(answer: (response: ServerResponse) => void) {
    const server = await startRawServer((_request, response) => answer(response));
    const client = createKubeClient(
      {
        server: server.origin,
        namespace: 'default',
        isInsecure: false,
        warnings: [],
        authorities: async () => undefined,
        credentials: async () => ({}),
        forget() {},
      },
      { userAgent: 'test', random: () => 0 },
    );
    const stop = new AbortController();
    return {
      server,
      stop,
      events: client.watch(CONFIG_MAP, { namespace: 'team', resourceVersion: '5', labelSelector: 'a=b' }, stop.signal),
      async [Symbol.asyncDispose]() {
        await client.close();
        server.dropConnections();
        await server.close();
      },
    };
  }

  const event = (type: string, name: string) => ({ type, object: { ...CONFIG_MAP, metadata: { name } } });
  const text = (...events: readonly object[]) => events.map(one => `${JSON.stringify(one)}\n`).join('');

  test('a watch of the Kubernetes client gives events until the server ends it, and asks for bookmarks', async () => {
    await using watch = await watching(response => response.end(text(event('ADDED', 'a'), event('DELETED', 'a'))));
    const seen: WatchEvent[] = [];
    for await (const one of watch.events) seen.push(one);
    expect(seen).toEqual([event('ADDED', 'a'), event('DELETED', 'a')]);
    expect(watch.server.requests[0]?.path).toBe(
      '/api/v1/namespaces/team/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=5&labelSelector=a%3Db&timeoutSeconds=300',
    );
  });

  test('a watch of the Kubernetes client rejects with the refusal of the API server', async () => {
    await using watch = await watching(response =>
      response.writeHead(410).end(JSON.stringify({ kind: 'Status', code: 410, reason: 'Expired', message: 'too old' })),
    );
    await expect(collect(watch.events)).rejects.toMatchObject({
      failure: 'gone',
      message: 'watch ConfigMap in team: too old',
    });
  });

  test('a watch of the Kubernetes client rejects when its connection breaks', async () => {
    await using watch = await watching(response => {
      response.write(text(event('ADDED', 'a')));
      setImmediate(() => response.destroy());
    });
    const seen: WatchEvent[] = [];
    const whole = (async () => {
      for await (const one of watch.events) seen.push(one);
    })();
    await expect(whole).rejects.toMatchObject({ failure: 'unavailable' });
    expect(seen).toEqual([event('ADDED', 'a')]);
  });

  test('a watch of the Kubernetes client rejects when it receives data that is not an event', async () => {
    await using watch = await watching(response => response.end('<html>\n'));
    await expect(collect(watch.events)).rejects.toMatchObject({ failure: 'unexpected' });
  });

  test('an aborted watch rejects with the reason of its signal, and its connection ends', async () => {
    let closed: Promise<unknown> | undefined;
    await using watch = await watching(response => {
      closed = new Promise(resolve => response.once('close', resolve));
      response.write(text(event('ADDED', 'a')));
    });
    await watch.events[Symbol.asyncIterator]().next();
    const next = watch.events[Symbol.asyncIterator]().next();
    watch.stop.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    await closed;
  });

  test('the connection of a watch ends when the code leaves the loop over its events', async () => {
    let closed: Promise<unknown> | undefined;
    await using watch = await watching(response => {
      closed = new Promise(resolve => response.once('close', resolve));
      response.write(text(event('ADDED', 'a')));
    });
    for await (const _ of watch.events) break;
    await closed;
  });

  async function collect(events: AsyncIterable<WatchEvent>): Promise<void> {
    for await (const _ of events);
  }
});
