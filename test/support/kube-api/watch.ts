/** Watches: the store's log as lines of JSON, from a revision on. */
import type { ServerResponse } from 'node:http';
import { expired } from './api-error.ts';
import type { Fault } from './faults.ts';
import type { JsonObject } from './json.ts';
import { checkNotAhead, parseRevision, parseSelector } from './reads.ts';
import { type ApiRequest, inVersion } from './request.ts';
import { formatApiVersion, formatStorageKey } from './resource-types.ts';
import type { Store, StoreEvent } from './store.ts';

export class Watch {
  readonly request: ApiRequest;
  readonly #store: Store;
  readonly #response: ServerResponse;
  readonly #stop: () => void;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #selects: (object: JsonObject) => boolean;
  #left: number;
  #isQuiet = false;

  /**
   * Sends everything since the revision, and stays open.
   *
   * @throws ApiError 400, 504 for an impossible revision; an outdated one gives an event, as in the real server
   */
  constructor(request: ApiRequest, store: Store, response: ServerResponse, fault: Fault | undefined) {
    this.request = request;
    this.#store = store;
    this.#response = response;
    this.#selects = parseSelector(request);
    this.#left = fault !== undefined && 'endWatchAfter' in fault ? fault.endWatchAfter : Number.POSITIVE_INFINITY;
    const { query } = request;
    const text = query.get('resourceVersion') ?? '';
    const isFromNow = text === '' || text === '0';
    const since = isFromNow ? store.revision : parseRevision(text);
    checkNotAhead(since, store);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.#stop = store.onCommit(event => this.#event(event));
    const seconds = Number(query.get('timeoutSeconds') ?? 0);
    this.#timer = seconds > 0 ? setTimeout(() => this.end(), seconds * 1_000) : undefined;
    response.once('close', () => this.#release());

    if ((fault !== undefined && 'expireWatch' in fault) || (!isFromNow && since < store.compacted)) this.expire(since);
    else if (this.#left === 0) this.end();
    else {
      this.#isQuiet = fault !== undefined && 'bookmarksOnly' in fault;
      if (isFromNow || query.get('sendInitialEvents') === 'true') this.#initial();
      else for (const event of store.since(since)) this.#event(event);
    }
  }

  /** Sends the current revision, if the client requested bookmarks. */
  bookmark(annotations?: JsonObject): void {
    if (this.request.query.get('allowWatchBookmarks') !== 'true') return;
    const { type } = this.request;
    const metadata = {
      resourceVersion: String(this.#store.revision),
      ...(annotations !== undefined && { annotations }),
    };
    this.#line('BOOKMARK', { kind: type.kind, apiVersion: formatApiVersion(type), metadata });
  }

  /** Ends the watch as if a compaction had removed events that it has not sent yet. */
  expire(since: number | string = this.request.query.get('resourceVersion') ?? '0'): void {
    this.#line('ERROR', expired(`too old resource version: ${since} (${this.#store.compacted})`).toStatus());
    this.end();
  }

  end(): void {
    this.#release();
    this.#response.end();
  }

  /** Breaks the connection. */
  drop(): void {
    this.#release();
    this.#response.destroy();
  }

  #initial(): void {
    for (const [, object] of this.#store.list(formatStorageKey(this.request.type))) {
      if (this.#selects(object)) this.#line('ADDED', inVersion(this.request.type, object));
    }
    if (this.request.query.get('sendInitialEvents') === 'true') this.bookmark({ 'k8s.io/initial-events-end': 'true' });
  }

  /** Sends a change. An object that the watch no longer selects counts as deleted, and one that it selects now as added. */
  #event({ storage, object, before, type }: StoreEvent): void {
    if (storage !== formatStorageKey(this.request.type) || this.#isQuiet) return;
    const isNow = type !== 'DELETED' && this.#selects(object);
    const wasBefore = before !== undefined && this.#selects(before);
    if (!isNow && !wasBefore) return;
    const shown = isNow ? (wasBefore ? 'MODIFIED' : 'ADDED') : 'DELETED';
    // An object that is no longer selected is sent in its last selected state.
    const seen = isNow || type === 'DELETED' || before === undefined ? object : withVersionOf(object, before);
    this.#line(shown, inVersion(this.request.type, seen));
    this.#left--;
    if (this.#left === 0) this.end();
  }

  #line(type: string, object: JsonObject): void {
    if (!this.#response.writableEnded) this.#response.write(`${JSON.stringify({ type, object })}\n`);
  }

  #release(): void {
    this.#stop?.();
    clearTimeout(this.#timer);
  }
}

function withVersionOf(object: JsonObject, before: JsonObject): JsonObject {
  const { resourceVersion } = object.metadata as JsonObject;
  return { ...before, metadata: { ...(before.metadata as JsonObject), resourceVersion } };
}
