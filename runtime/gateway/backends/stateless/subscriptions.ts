/**
 * The unsolicited messages of a stateless backend: one open `subscriptions/listen` for the changes of its lists and of the subscribed resources.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
import type { BackendListener } from '../backend.ts';
import { Backoff } from '../backoff.ts';
import type { BackendContext } from '../context.ts';
import { ListenCall, type ListenEnd, type ListenFilter } from './listen-call.ts';
import type { RequestMeta } from './request-text.ts';

/** A stream that lasted this long counts as successful, even without a message; milliseconds. */
const GOOD_STREAM_MS = 10_000;

export interface SubscriptionsOptions {
  readonly listener: BackendListener;
  meta(): RequestMeta;
  /** Subscribed resources by URI; read whenever a stream opens. */
  readonly resources: { readonly size: number; keys(): Iterable<string> };
  /** Called when the backend does not support `subscriptions/listen`. */
  onRefused(): void;
}

export class Subscriptions {
  readonly #context: BackendContext;
  readonly #options: SubscriptionsOptions;
  readonly #backoff: Backoff;
  /** The open stream, if there is one. */
  #current: ListenCall | undefined;
  /** A stream that is being opened, with another filter or after a loss: it replaces the current one when the backend has acknowledged it. */
  #next: ListenCall | undefined;
  /** The resources that the backend acknowledged on the newest stream; undefined before the acknowledgement. */
  #honoured: ReadonlySet<unknown> | undefined;
  /** How the most recent stream ended, if the backend did not acknowledge it. */
  #end: ListenEnd | undefined;
  #hasGap = false;
  #openedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(context: BackendContext, options: SubscriptionsOptions) {
    this.#context = context;
    this.#options = options;
    this.#backoff = new Backoff(context.reconnect);
  }

  start(): void {
    this.#open();
  }

  /** Called when the resources have changed: resolves when the backend has acknowledged or refused them. */
  async update(): Promise<void> {
    if (this.#isClosed) return;
    this.#open();
    // A further change may have replaced this stream by a newer one.
    while (this.#next !== undefined) await this.#next.settled;
  }

  /** Whether the backend acknowledged this resource; undefined while it has acknowledged no stream. */
  agreesTo(uri: string): boolean | undefined {
    return this.isRefused ? false : this.#honoured?.has(uri);
  }

  /** Whether the backend refuses every stream, with any filter. */
  get isRefused(): boolean {
    return this.#end === 'refused';
  }

  /** Whether the backend refuses the current stream, perhaps because of its filter. */
  get hasFailed(): boolean {
    return this.#end === 'failed';
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#next?.close();
    this.#next = undefined;
    this.#current?.close();
  }

  #open(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#next?.close();
    this.#honoured = undefined;
    this.#end = undefined;
    const filter: ListenFilter = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(this.#options.resources.size === 0 ? {} : { resourceSubscriptions: [...this.#options.resources.keys()] }),
    };
    const call = new ListenCall(this.#context, this.#options.meta(), filter, {
      onAcknowledged: honoured => this.#takeOver(call, honoured),
      onMessage: notification => this.#options.listener.message(notification),
      onEnd: end => this.#ended(call, end),
    });
    this.#next = call;
    call.start();
  }

  #takeOver(call: ListenCall, honoured: ReadonlySet<unknown>): void {
    if (this.#next !== call) return;
    this.#current?.close();
    this.#current = call;
    this.#next = undefined;
    this.#honoured = honoured;
    this.#openedAt = performance.now();
    if (!this.#hasGap) return;
    this.#hasGap = false;
    this.#options.listener.missed?.();
  }

  #ended(call: ListenCall, end: ListenEnd): void {
    if (this.#current === call) {
      this.#current = undefined;
      this.#hasGap = true;
      if (performance.now() - this.#openedAt > GOOD_STREAM_MS) this.#backoff.reset();
    } else if (this.#next === call) {
      this.#next = undefined;
      this.#end = end;
    } else return;
    if (end === 'refused') this.#options.onRefused();
    else if (this.#next === undefined) this.#openLater();
  }

  #openLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    const waitMs = this.#backoff.next();
    this.#timer = setTimeout(() => this.#open(), waitMs);
    this.#timer.unref();
    const { log, backend } = this.#context;
    log.debug({ backend, waitMs: Math.round(waitMs) }, 'the stream of notifications will be opened again');
  }
}
