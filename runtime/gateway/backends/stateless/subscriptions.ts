/**
 * What a stateless backend says of its own accord: one `subscriptions/listen` that stays open, for the changes of its lists
 * and of the resources that someone wants to know about.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
import type { BackendListener } from '../backend.ts';
import { Backoff } from '../backoff.ts';
import type { BackendContext } from '../context.ts';
import { ListenCall, type ListenEnd, type ListenFilter } from './listen-call.ts';
import type { RequestMeta } from './request-text.ts';

/** A stream that lasted this long was a good one, even without a message; milliseconds. */
const GOOD_STREAM_MS = 10_000;

export interface SubscriptionsOptions {
  readonly listener: BackendListener;
  meta(): RequestMeta;
  /** URIs whose updates are wanted; read whenever a stream opens. */
  readonly resources: { readonly size: number; keys(): Iterable<string> };
  /** The backend takes no `subscriptions/listen`. */
  onRefused(): void;
}

export class Subscriptions {
  readonly #context: BackendContext;
  readonly #options: SubscriptionsOptions;
  readonly #backoff: Backoff;
  /** The open stream. */
  #current: ListenCall | undefined;
  /** A stream with another filter, or after a loss: it takes over when the backend has acknowledged it. */
  #next: ListenCall | undefined;
  /** The resources whose updates the backend agreed to tell on the newest stream; undefined as long as it has not answered. */
  #honoured: ReadonlySet<unknown> | undefined;
  /** What became of that stream instead. */
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

  /** The resources have changed: resolves when the backend knows, or did not take it. */
  async update(): Promise<void> {
    if (this.#isClosed) return;
    this.#open();
    // Another change may put a newer stream in the place of this one.
    while (this.#next !== undefined) await this.#next.settled;
  }

  /** Whether the backend agreed to tell of this resource; undefined when it gave no answer. */
  agreesTo(uri: string): boolean | undefined {
    return this.isRefused ? false : this.#honoured?.has(uri);
  }

  /** The backend takes no stream at all, whatever it is to tell. */
  get isRefused(): boolean {
    return this.#end === 'refused';
  }

  /** It takes none now, which may be because of what it is to tell. */
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
