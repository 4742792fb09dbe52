import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CacheEvent,
  type KubeClient,
  KubeError,
  type KubeObject,
  type ListOptions,
  ListWatch,
  type WatchEvent,
} from '../../../controller/kube/index.ts';
import { settle, TestClock } from '../../support/test-clock.ts';

const TYPE = { apiVersion: 'v1', kind: 'ConfigMap' };

interface Stream {
  push(event: WatchEvent): void;
  end(): void;
  fail(error: Error): void;
  /** No more events arrive, and the connection stays open. */
  silence(): void;
}

/** An API server with objects of one type, a history that can be compacted, and streams that can break. */
class ObjectServer {
  readonly objects = new Map<string, KubeObject>();
  readonly streams = new Set<Stream>();
  readonly calls: string[] = [];
  listTrouble: (() => Error | undefined) | undefined;
  watchTrouble: (() => Error | undefined) | undefined;
  #revision = 100;
  #uid = 0;
  #forgotten = 100;
  readonly #history: { readonly revision: number; readonly event: WatchEvent }[] = [];

  put(name: string, value: string): void {
    const former = this.objects.get(name);
    const metadata = {
      name,
      namespace: 'team',
      uid: former?.metadata.uid ?? `u${++this.#uid}`,
      managedFields: [{ manager: 'x', operation: 'Apply' as const }],
    };
    this.#change(former === undefined ? 'ADDED' : 'MODIFIED', { ...TYPE, metadata, data: { value } });
  }

  delete(name: string): void {
    const former = this.objects.get(name);
    if (former !== undefined) this.#change('DELETED', former);
  }

  bookmark(): void {
    const object = { ...TYPE, metadata: { name: '', resourceVersion: String(this.#revision) } };
    for (const stream of this.streams) stream.push({ type: 'BOOKMARK', object });
  }

  /** Watches cannot resume from before now. */
  compact(): void {
    this.#forgotten = this.#revision;
  }

  endAll(): void {
    for (const stream of [...this.streams]) stream.end();
  }

  breakAll(): void {
    for (const stream of [...this.streams]) stream.fail(unavailable());
  }

  readonly client: Pick<KubeClient, 'list' | 'watch'> = {
    list: async (_type, _options: ListOptions = {}) => {
      this.calls.push('list');
      const trouble = this.listTrouble?.();
      if (trouble !== undefined) throw trouble;
      return { items: [...this.objects.values()], resourceVersion: String(this.#revision) };
    },
    watch: (_type, { resourceVersion }, signal) => this.#watch(Number(resourceVersion), signal),
  };

  #change(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    const revision = ++this.#revision;
    const now = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    if (type === 'DELETED') this.objects.delete(object.metadata.name);
    else this.objects.set(object.metadata.name, now);
    const event = { type, object: now } as const;
    this.#history.push({ revision, event });
    for (const stream of this.streams) stream.push(event);
  }

  async *#watch(from: number, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    this.calls.push(`watch ${from}`);
    const trouble = this.watchTrouble?.();
    if (trouble !== undefined) throw trouble;
    if (from < this.#forgotten) {
      yield { type: 'ERROR', object: { code: 410, message: 'too old resource version' } };
      return;
    }
    const queue: WatchEvent[] = this.#history.flatMap(({ revision, event }) => (revision > from ? [event] : []));
    let wake = (): void => {};
    let ending: { readonly error?: unknown } | undefined;
    const stream: Stream = {
      push: event => {
        queue.push(event);
        wake();
      },
      end: () => finish({}),
      fail: error => finish({ error }),
      silence: () => this.streams.delete(stream),
    };
    const finish = (how: { readonly error?: unknown }): void => {
      ending ??= how;
      this.streams.delete(stream);
      wake();
    };
    this.streams.add(stream);
    signal.addEventListener('abort', () => finish({ error: signal.reason }), { once: true });
    try {
      for (;;) {
        const event = queue.shift();
        if (event !== undefined) yield event;
        else if (ending === undefined) await new Promise<void>(resolve => (wake = resolve));
        else if ('error' in ending) throw ending.error;
        else return;
      }
    } finally {
      this.streams.delete(stream);
    }
  }
}

function unavailable(): KubeError {
  return new KubeError('down', { failure: 'unavailable', call: 'test' });
}

interface Heard {
  readonly now: KubeObject | undefined;
  readonly before: KubeObject | undefined;
}

function caching(server: ObjectServer, options: { readonly isOptional?: boolean } = {}) {
  const clock = new TestClock();
  const stop = new AbortController();
  const events: CacheEvent[] = [];
  const heard: Heard[] = [];
  const cache = new ListWatch({
    client: server.client,
    type: TYPE,
    clock,
    random: () => 0.5,
    onEvent: event => events.push(event),
    ...options,
  });
  cache.onChange((now, before) => heard.push({ now, before }));
  const running = cache.run(stop.signal);
  return { cache, clock, stop, events, heard, running };
}

const dataOf = (object: KubeObject | undefined) => (object?.data as { value: string } | undefined)?.value;
const textOf = ({ now, before }: Heard) =>
  `${(now ?? before)?.metadata.name}: ${dataOf(before) ?? '-'} > ${dataOf(now) ?? '-'}`;

describe('a cache', () => {
  test('the object cache has the objects of the first list, then every change, and its events also have the object before the change', async () => {
    const server = new ObjectServer();
    server.put('a', '1');
    const { cache, heard } = caching(server);
    expect(cache.isSynced).toBe(false);
    await cache.synced;
    await settle();
    server.put('b', '1');
    server.put('a', '2');
    server.delete('b');
    await settle();
    expect(heard.map(textOf)).toEqual(['a: - > 1', 'b: - > 1', 'a: 1 > 2', 'b: 1 > -']);
    expect(cache.list().map(dataOf)).toEqual(['2']);
    expect(cache.list('other')).toEqual([]);
    expect(dataOf(cache.get('team', 'a'))).toBe('2');
    expect(cache.get('team', 'b')).toBeUndefined();
  });

  test('the object cache stores objects without managed fields', async () => {
    const server = new ObjectServer();
    server.put('a', '1');
    const { cache } = caching(server);
    await settle();
    expect(cache.get('team', 'a')?.metadata).not.toHaveProperty('managedFields');
  });

  test('the object cache continues after the end of a watch without a new list', async () => {
    const server = new ObjectServer();
    const { heard, clock } = caching(server);
    await settle();
    server.put('a', '1');
    await clock.pass(300_000 - 150_000);
    server.bookmark();
    await clock.pass(60_000);
    server.endAll();
    server.put('a', '2');
    await settle();
    expect(server.calls).toEqual(['list', 'watch 100', 'watch 101']);
    expect(heard.map(textOf)).toEqual(['a: - > 1', 'a: 1 > 2']);
  });

  test('the object cache continues a watch from the resource version of the last bookmark', async () => {
    const server = new ObjectServer();
    const { clock } = caching(server);
    await settle();
    server.put('a', '1');
    server.delete('a');
    server.bookmark();
    await clock.pass(2_000);
    server.endAll();
    await settle();
    expect(server.calls.at(-1)).toBe('watch 102');
  });

  test('the object cache continues a broken watch after a short wait', async () => {
    const server = new ObjectServer();
    const { heard, clock } = caching(server);
    await settle();
    server.breakAll();
    server.put('a', '1');
    await settle();
    expect(heard).toEqual([]);
    await clock.pass(800);
    expect(heard.map(textOf)).toEqual(['a: - > 1']);
    expect(server.calls).toEqual(['list', 'watch 100', 'watch 100']);
  });

  test('the object cache lists again when its resource version has expired, and emits the missed changes, deletions and replacements', async () => {
    const server = new ObjectServer();
    for (const name of ['a', 'b', 'c', 'd']) server.put(name, '1');
    const { heard, clock } = caching(server);
    await settle();
    heard.length = 0;
    server.breakAll();
    server.delete('a');
    server.put('b', '2');
    server.delete('c');
    server.put('c', '9');
    server.put('e', '1');
    server.compact();
    await clock.pass(10_000);
    expect(heard.map(textOf)).toEqual(['a: 1 > -', 'b: 1 > 2', 'c: 1 > -', 'c: - > 9', 'e: - > 1']);
    expect(server.calls.filter(call => call === 'list')).toHaveLength(2);
  });

  test('the object cache restarts a watch that stalls without an error', async () => {
    const server = new ObjectServer();
    const { heard, clock, events } = caching(server);
    await settle();
    for (const stream of server.streams) stream.silence();
    server.put('a', '1');
    await clock.pass(3 * 60_000);
    expect(events.some(({ type }) => type === 'stalled')).toBe(true);
    expect(heard.map(textOf)).toEqual(['a: - > 1']);
  });

  test('the object cache counts bookmarks as a sign that a watch is alive', async () => {
    const server = new ObjectServer();
    const { clock } = caching(server);
    for (let minute = 0; minute < 30; minute++) {
      await clock.pass(60_000);
      server.bookmark();
    }
    expect(server.calls).toEqual(['list', 'watch 100']);
  });

  test('the object cache waits longer after each failure of the API server, and counts as filled only after the first list', async () => {
    const server = new ObjectServer();
    server.listTrouble = unavailable;
    const { cache, clock, events } = caching(server);
    await clock.pass(5 * 60_000);
    expect(cache.isSynced).toBe(false);
    const waits = events.flatMap(event => (event.type === 'failed' ? [event.retryMs] : []));
    expect(waits.slice(0, 4)).toEqual([800, 1_600, 3_200, 6_400]);
    expect(waits.at(-1)).toBe(30_000);
    server.listTrouble = undefined;
    await clock.pass(30_000);
    expect(cache.isSynced).toBe(true);
  });

  test.each([
    ['end at once', (server: ObjectServer) => setImmediate(() => server.endAll())],
    [
      'expire at once',
      (server: ObjectServer) => {
        server.watchTrouble = () => new KubeError('too old', { failure: 'gone', call: 'test' });
      },
    ],
  ])('the object cache waits between watches that each %s', async (_name, trouble) => {
    const server = new ObjectServer();
    const { clock } = caching(server);
    const original = server.client.watch;
    Object.assign(server.client, {
      watch: (...args: Parameters<KubeClient['watch']>) => {
        trouble(server);
        return original(...args);
      },
    });
    await clock.pass(60_000);
    expect(server.calls.length).toBeLessThan(24);
  });

  test('the object cache has no objects of an optional type until the API server serves the type', async () => {
    const server = new ObjectServer();
    server.put('a', '1');
    server.listTrouble = () => new KubeError('404', { failure: 'notFound', call: 'test', isUnserved: true });
    const { cache, clock, heard } = caching(server, { isOptional: true });
    await cache.synced;
    expect(cache.list()).toEqual([]);
    server.listTrouble = undefined;
    await clock.pass(60_000);
    expect(heard.map(textOf)).toEqual(['a: - > 1']);
  });

  test('the object cache notifies all listeners although one listener throws', async () => {
    const server = new ObjectServer();
    const clock = new TestClock();
    const events: CacheEvent[] = [];
    const cache = new ListWatch({ client: server.client, type: TYPE, clock, onEvent: event => events.push(event) });
    const heard: string[] = [];
    cache.onChange(() => {
      throw new Error('no');
    });
    const stop = cache.onChange(now => heard.push(String(now?.metadata.name)));
    void cache.run(new AbortController().signal);
    server.put('a', '1');
    await settle();
    stop();
    server.put('b', '1');
    await settle();
    expect(heard).toEqual(['a']);
    expect(events.filter(({ type }) => type === 'listenerFailed')).toHaveLength(2);
  });

  test('the object cache ends all connections and timers when it is stopped', async () => {
    const server = new ObjectServer();
    const { stop, running, clock } = caching(server);
    await settle();
    stop.abort(new Error('stop'));
    await running;
    expect(clock.pending).toBe(0);
    expect(server.streams.size).toBe(0);
  });
});

test('the object cache ends in the state of the API server after any failures, and its listeners receive consistent events', async () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), name, value: fc.nat(9).map(String) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('delete' as const), name }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('bookmark' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('break' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('silence' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('refuse' as const), times: fc.nat(3) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(5_000) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50 }), async steps => {
      const server = new ObjectServer();
      const { cache, clock, heard, stop, running } = caching(server);
      for (const one of steps) {
        if (one.do === 'put') server.put(one.name, one.value);
        else if (one.do === 'delete') server.delete(one.name);
        else if (one.do === 'bookmark') server.bookmark();
        else if (one.do === 'compact') server.compact();
        else if (one.do === 'end') server.endAll();
        else if (one.do === 'break') server.breakAll();
        else if (one.do === 'silence') for (const stream of server.streams) stream.silence();
        else if (one.do === 'refuse') {
          let left = one.times;
          server.listTrouble = server.watchTrouble = () => (left-- > 0 ? unavailable() : undefined);
        } else await clock.pass(one.ms);
      }
      await clock.pass(10 * 60_000);
      const known = (objects: Iterable<KubeObject>) =>
        [...objects].map(({ metadata, data }) => [metadata.name, metadata.uid, metadata.resourceVersion, data]).sort();
      expect(known(cache.list())).toEqual(known(server.objects.values()));
      const told = new Map<string, KubeObject>();
      for (const { now, before } of heard) {
        const { name } = (now ?? before)?.metadata ?? { name: '' };
        expect(told.get(name)).toBe(before);
        if (now !== undefined && before !== undefined) {
          expect(now.metadata.uid).toBe(before.metadata.uid);
          expect(Number(now.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
        }
        if (now === undefined) told.delete(name);
        else told.set(name, now);
      }
      expect(known(told.values())).toEqual(known(server.objects.values()));
      stop.abort(new Error('stop'));
      await running;
    }),
    { seed: 3, numRuns: 300 },
  );
});
