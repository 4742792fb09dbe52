/**
 * All objects of a type, kept up to date by list and watch, like a reflector in client-go.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
import { computeBackoffMs, LinkedAbort, spread } from '#shared/util';
import { shareStrings } from '../tuning/shared-strings.ts';
import { type Clock, sleep, systemClock } from './clock.ts';
import { KubeError } from './kube-error.ts';
import type { KubeClient, KubeObject, ListOptions, ObjectCache, ObjectType, WatchEvent } from './types.ts';

/** Waits after failures, in milliseconds. */
const FIRST_WAIT_MS = 800;
const LONGEST_WAIT_MS = 30_000;

/**
 * A watch without any event for this long has stalled, in milliseconds: API servers send bookmarks about once a minute. This detects connections
 * that were dropped silently.
 */
const STALLED_MS: number = 3 * 60_000;

/** Retry interval for a type that the API server does not know, in milliseconds. */
const UNSERVED_MS = 60_000;

export interface CacheOptions extends Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'> {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly type: ObjectType;
  /** Reduces a cached object; default: drops `managedFields`, the largest part of many objects. */
  readonly transform?: (object: KubeObject) => KubeObject;
  /** A type that the API server may lack: it has no objects until its CustomResourceDefinition is installed. */
  readonly isOptional?: boolean;
  readonly onEvent?: (event: CacheEvent) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** For the log. */
export type CacheEvent =
  | { readonly type: 'listed'; readonly objects: number }
  | { readonly type: 'failed'; readonly error: unknown; readonly retryMs: number }
  | { readonly type: 'stalled' }
  | { readonly type: 'listenerFailed'; readonly error: unknown };

type Listener = Parameters<ObjectCache['onChange']>[0];

/** A cache that is updated until it is stopped. */
export class ListWatch implements ObjectCache {
  readonly synced: Promise<void>;
  readonly #options: CacheOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #transform: (object: KubeObject) => KubeObject;
  readonly #objects = new Map<string, KubeObject>();
  readonly #listeners = new Set<Listener>();
  readonly #markSynced: () => void;
  #isSynced = false;
  #failures = 0;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#transform = options.transform ?? withoutManagedFields;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.synced = promise;
    this.#markSynced = () => {
      this.#isSynced = true;
      resolve();
    };
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get type(): ObjectType {
    return this.#options.type;
  }

  get(namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#objects.get(formatKey(namespace, name));
  }

  list(namespace?: string): readonly KubeObject[] {
    const all = [...this.#objects.values()];
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  onChange(listener: Listener): () => void {
    // Registering the same function twice gives two subscriptions.
    const own: Listener = (now, before) => listener(now, before);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** Updates the cache until the signal is aborted; never fails. */
  async run(signal: AbortSignal): Promise<void> {
    let resourceVersion: string | undefined;
    while (!signal.aborted) {
      try {
        resourceVersion ??= await this.#list(signal);
        resourceVersion = await this.#watch(resourceVersion, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof BrokenWatch) resourceVersion = error.resourceVersion;
        await this.#waitAfter(error instanceof BrokenWatch ? error.cause : error, signal).catch(() => {});
      }
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { client, type, namespace, labelSelector, fieldSelector, isOptional, onEvent } = this.#options;
    try {
      const { items, resourceVersion } = await client.list(type, { namespace, labelSelector, fieldSelector }, signal);
      this.#replace(items);
      onEvent?.({ type: 'listed', objects: items.length });
      this.#markSynced();
      return resourceVersion;
    } catch (error) {
      if (isOptional === true && error instanceof KubeError && error.isUnserved) {
        this.#replace([]);
        this.#markSynced();
      }
      throw error;
    }
  }

  /**
   * Follows changes until the server ends the watch, and returns the resourceVersion to continue from; undefined when a new list is needed.
   * @throws BrokenWatch
   */
  async #watch(from: string, signal: AbortSignal): Promise<string | undefined> {
    const { client, type, namespace, labelSelector, fieldSelector, onEvent } = this.#options;
    using end = new LinkedAbort([signal]);
    let isStalled = false;
    const watchdog = new Watchdog(this.#clock, STALLED_MS, () => {
      isStalled = true;
      end.abort(new Error('the API server sent no event for too long'));
    });
    const start = this.#clock.now();
    let resourceVersion = from;
    try {
      const events = client.watch(type, { namespace, labelSelector, fieldSelector, resourceVersion: from }, end.signal);
      for await (const event of events) {
        watchdog.feed();
        if (event.type === 'ERROR') throw toKubeError(event, type);
        // Any event shows that the server is healthy.
        this.#failures = 0;
        if (event.type === 'DELETED') this.#remove(event.object);
        else if (event.type !== 'BOOKMARK') this.#put(event.object);
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isStalled) {
        onEvent?.({ type: 'stalled' });
        return undefined;
      }
      const isTooOld = error instanceof KubeError && error.failure === 'gone';
      throw new BrokenWatch(error, isTooOld ? undefined : resourceVersion);
    } finally {
      watchdog.stop();
    }
    // A watch that keeps ending immediately without an event must not cause a busy loop.
    if (this.#clock.now() - start < 1_000 && resourceVersion === from) {
      throw new BrokenWatch(new Error('the watch ended at once'), resourceVersion);
    }
    return resourceVersion;
  }

  async #waitAfter(error: unknown, signal: AbortSignal): Promise<void> {
    const isUnserved = error instanceof KubeError && error.isUnserved;
    this.#failures++;
    const wait = computeBackoffMs(this.#failures, { firstMs: FIRST_WAIT_MS, longestMs: LONGEST_WAIT_MS });
    const ms = spread(wait, this.#random());
    const asked = error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0;
    const retryMs = isUnserved && this.#options.isOptional === true ? UNSERVED_MS : Math.max(ms, asked);
    if (!isUnserved || this.#options.isOptional !== true) this.#options.onEvent?.({ type: 'failed', error, retryMs });
    await sleep(this.#clock, retryMs, signal);
  }

  /** Reports all changes since the last list, including deletions. */
  #replace(items: readonly KubeObject[]): void {
    const keys = new Set(items.map(({ metadata }) => formatKey(metadata.namespace, metadata.name)));
    for (const [key, object] of [...this.#objects]) {
      if (!keys.has(key)) this.#remove(object);
    }
    for (const item of items) {
      const before = this.get(item.metadata.namespace, item.metadata.name);
      const { uid, resourceVersion } = item.metadata;
      if (before?.metadata.uid !== uid || before?.metadata.resourceVersion !== resourceVersion) this.#put(item);
    }
  }

  #put(object: KubeObject): void {
    const { namespace, name, uid } = object.metadata;
    const before = this.get(namespace, name);
    // The cached object is another one of the same name: the event about its deletion was missed.
    if (before !== undefined && before.metadata.uid !== uid) this.#remove(before);
    // What the cache stores: the object, reduced by `transform`.
    const now = shareStrings(this.#transform(object));
    this.#objects.set(formatKey(namespace, name), now);
    this.#notify(now, before?.metadata.uid === uid ? before : undefined);
  }

  #remove({ metadata: { namespace, name } }: KubeObject): void {
    const before = this.get(namespace, name);
    if (before === undefined) return;
    this.#objects.delete(formatKey(namespace, name));
    this.#notify(undefined, before);
  }

  #notify(now: KubeObject | undefined, before: KubeObject | undefined): void {
    for (const listener of this.#listeners) {
      try {
        listener(now, before);
      } catch (error) {
        this.#options.onEvent?.({ type: 'listenerFailed', error });
      }
    }
  }
}

/** Drops the managed fields, which most readers do not need. */
export function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  return managedFields === undefined ? object : { ...object, metadata };
}

/** A watch that ended early, and where another one can continue; undefined when the server no longer has the history. */
class BrokenWatch extends Error {
  readonly resourceVersion: string | undefined;

  constructor(cause: unknown, resourceVersion: string | undefined) {
    super('the connection of the watch broke', { cause });
    this.resourceVersion = resourceVersion;
  }
}

/** Calls back when it was not reset for a while. Uses one timer, however often it is reset. */
class Watchdog {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #call: () => void;
  #fedAt: number;
  #cancel: () => void;

  constructor(clock: Clock, ms: number, call: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#call = call;
    this.#fedAt = clock.now();
    this.#cancel = clock.after(ms, () => this.#check());
  }

  feed(): void {
    this.#fedAt = this.#clock.now();
  }

  stop(): void {
    this.#cancel();
  }

  #check(): void {
    const remaining = this.#fedAt + this.#ms - this.#clock.now();
    if (remaining <= 0) this.#call();
    else this.#cancel = this.#clock.after(remaining, () => this.#check());
  }
}

function toKubeError({ object }: Extract<WatchEvent, { type: 'ERROR' }>, { kind }: ObjectType): KubeError {
  const { code, message = 'the server ended it with an error' } = object;
  return new KubeError(message, {
    failure: code === 410 ? 'gone' : 'unavailable',
    call: `watch ${kind}`,
    status: code,
  });
}

function formatKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}
