/**
 * A session with a backend of which only the URL is known. It speaks in the way that the backend does, and changes over when
 * the backend comes back as one of another era.
 */
import { abortable } from '../abortable.ts';
import type {
  BackendIdentity,
  BackendListener,
  BackendRequest,
  BackendSession,
  ResponseSink,
  SavedBackendSession,
} from '../backend.ts';
import { Backoff } from '../backoff.ts';
import type { BackendContext } from '../context.ts';
import { mayBeOtherEra, sessionClosed } from '../failure.ts';
import { StreamableHttpSession } from '../http/streamable-http.ts';
import { messageKind } from '../messages/message-kind.ts';
import type { SessionReplay } from '../session-replay.ts';
import { SseSession } from '../sse/sse.ts';
import { StatelessSession } from '../stateless/stateless.ts';
import type { BackendEra, EraName, EraWatch } from './era.ts';

/** A session in one way of speaking. */
interface EraSession extends BackendSession {
  /** Requests run there. */
  readonly isBusy: boolean;
  /** Whether the backend has asked its client this, in a request that runs there; `id` as `messageKind` gives it. */
  hasAsked(id: string): boolean;
  subscribedElsewhere(uri: string, isSubscribed: boolean): void;
}

/** How often a stream is asked for again that is refused while the backend changes: some have none. */
const MAX_TRIES = 3;

export class EraSwitchingSession implements BackendSession {
  readonly backend: string;
  readonly #context: BackendContext;
  readonly #era: BackendEra;
  readonly #memory: SessionReplay;
  #inner: { readonly way: EraName; readonly session: EraSession } | undefined;
  /** Sessions of a former era: what runs there may still end well. */
  readonly #previous: Map<EraSession, NodeJS.Timeout> = new Map();
  readonly #resent: WeakSet<BackendRequest> = new WeakSet();
  readonly #backoff: Backoff;
  #listener: BackendListener | undefined;
  /** The listener wants a stream of its own. */
  #listens = false;
  #timer: NodeJS.Timeout | undefined;
  /** Who listens does not wait for a request to change over. Nothing is lost by coming later: `missed` has all read again. */
  readonly #follow = (): void => this.#later(this.#era.followingMs, () => this.#current());
  #followTimer: NodeJS.Timeout | undefined;
  /** How often the stream of this session was asked for again. */
  #tries = 0;
  readonly #stop: AbortController = new AbortController();

  constructor(context: BackendContext, era: BackendEra, memory: SessionReplay) {
    this.backend = context.backend;
    this.#context = context;
    this.#era = era;
    this.#memory = memory;
    this.#backoff = new Backoff(context.reconnect);
  }

  /** A previous session stays open as long as something may run there. */
  get sharesOneStream(): boolean {
    return this.#inner?.session.sharesOneStream === true || this.#previous.size > 0;
  }

  get isOpen(): boolean {
    return this.#inner?.session.isOpen === true;
  }

  async open(): Promise<BackendIdentity> {
    const session = await this.#known();
    try {
      return await session.open();
    } catch (error) {
      return this.#openAgain(session, error);
    }
  }

  request(request: BackendRequest, sink: ResponseSink): void {
    const session = this.#current();
    if (session !== undefined) session.request(request, sink);
    else {
      this.#known().then(
        found => found.request(request, sink),
        error => sink.fail(error),
      );
    }
  }

  async post(text: string): Promise<void> {
    const session = this.#inner?.session;
    if (this.#previous.size === 0 || session === undefined) await session?.post(text);
    else await Promise.all(this.#concerned(session, text).map(concerned => concerned.post(text)));
  }

  /** Where a message of the client goes: an answer where the question came from, a notification wherever requests run. */
  #concerned(current: EraSession, text: string): EraSession[] {
    const sessions = [current, ...this.#previous.keys()];
    const kind = messageKind(Buffer.from(text));
    if (kind?.type === 'response') return [sessions.find(session => session.hasAsked(kind.id)) ?? current];
    return sessions.filter(session => session === current || session.isBusy);
  }

  receive(listener: BackendListener): void {
    if (this.#stop.signal.aborted) return;
    this.#listener = listener;
    this.#inner?.session.receive(listener);
  }

  listen(listener: BackendListener): void {
    if (this.#stop.signal.aborted) return;
    this.#listener = listener;
    this.#listens = true;
    this.#era.listeners.add(this.#follow);
    const before = this.#inner;
    const session = this.#current();
    // A session that is made from now on, here or when the era becomes known, is made with the listener.
    if (before !== undefined && before === this.#inner) before.session.listen(listener);
    else if (session === undefined) this.#known().catch(() => this.#listenLater());
  }

  unlisten(): void {
    this.#listens = false;
    this.#era.listeners.delete(this.#follow);
    clearTimeout(this.#timer);
    this.#inner?.session.unlisten?.();
  }

  subscribedElsewhere(uri: string, isSubscribed: boolean): void {
    const session = this.#inner?.session;
    if (session === undefined) this.#memory.noteSubscription(uri, isSubscribed);
    else session.subscribedElsewhere(uri, isSubscribed);
  }

  moveTo(session: SavedBackendSession): void {
    this.#inner?.session.moveTo?.(session);
  }

  async close(isLeft?: boolean): Promise<void> {
    this.#stop.abort(sessionClosed(this.backend));
    this.#era.listeners.delete(this.#follow);
    clearTimeout(this.#timer);
    clearTimeout(this.#followTimer);
    for (const timer of this.#previous.values()) clearTimeout(timer);
    const sessions = [...this.#previous.keys(), ...(this.#inner === undefined ? [] : [this.#inner.session])];
    await Promise.all(sessions.map(session => session.close(isLeft)));
  }

  /** The session in the way that is known to be the backend's; undefined as long as none is. */
  #current(): BackendSession | undefined {
    const era = this.#era.known;
    if (era === undefined) return undefined;
    return this.#stop.signal.aborted ? this.#inner?.session : this.#in(era);
  }

  /** The session with a backend of this era. */
  #in(era: EraName): BackendSession {
    const way = this.#way ?? era;
    return way === this.#inner?.way ? this.#inner.session : this.#changeTo(way);
  }

  /** The one that fits this client, of the ways that the backend is known to have. */
  get #way(): EraName | undefined {
    return this.#era.wayFor(this.#context.prefersSessions);
  }

  /** The backend does not act as a session in this way expects: what it is by another look. */
  #recheck(way: EraName): Promise<EraName> {
    const era = way === this.#way ? this.#era.known : undefined;
    return this.#era.recheck(era ?? way, this.#context);
  }

  async #known(): Promise<BackendSession> {
    const { signal } = this.#stop;
    signal.throwIfAborted();
    // Not ours alone: closing this session ends the waiting, not the look at the backend.
    const era = await abortable(this.#era.detect(this.#context), signal);
    signal.throwIfAborted();
    return this.#in(era);
  }

  #changeTo(way: EraName): BackendSession {
    const previous = this.#inner?.session;
    const session = this.#make(way);
    this.#inner = { way, session };
    this.#tries = 0;
    clearTimeout(this.#followTimer);
    if (this.#listener !== undefined) {
      if (this.#listens) session.listen(this.#listener);
      else session.receive(this.#listener);
    }
    if (previous !== undefined) {
      this.#retire(previous);
      this.#listener?.missed?.();
    }
    return session;
  }

  #make(way: EraName): EraSession {
    const watch: EraWatch = {
      doubted: (request, sink, deliver) => this.#doubted(way, request, sink, deliver),
      suspected: () => this.#suspected(way),
      notOpened: () => this.#era.forget(),
    };
    if (way === 'session') return new StreamableHttpSession(this.#context, this.#memory, watch);
    if (way === 'sse') return new SseSession(this.#context, this.#memory, watch);
    return new StatelessSession(this.#context, { memory: this.#memory, era: this.#era, watch });
  }

  /** The backend answered a session of this era as no backend of that era does. */
  #doubted(way: EraName, request: BackendRequest, sink: ResponseSink, deliver: () => void): void {
    if (this.#resent.has(request)) {
      deliver();
      return;
    }
    this.#recheck(way).then(now => {
      // The next server may be of this era again.
      const mayFareBetter = (this.#way ?? now) !== way || this.#era.isMixed;
      if (!mayFareBetter || this.#stop.signal.aborted) return deliver();
      this.#resent.add(request);
      this.request(request, sink);
    }, deliver);
  }

  #suspected(way: EraName): void {
    const session = this.#inner?.session;
    this.#recheck(way).then(
      () => {
        if (this.#current() === session) this.#listenAgain(session);
      },
      () => {},
    );
  }

  /** A server that is on its way out may have refused what its successor takes. HTTP+SSE tries again by itself. */
  #listenAgain(session: BackendSession | undefined): void {
    const wantsStream = this.#inner?.way === 'stateless' && this.#listens;
    if (!wantsStream || !this.#era.isUnsettled || this.#tries === MAX_TRIES) return;
    this.#later(this.#era.retryMs(this.#tries++), () => {
      if (this.#current() === session && this.#listener !== undefined) session?.listen(this.#listener);
    });
  }

  /** In the place of what was to be done later. */
  #later(waitMs: number, act: () => void): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#followTimer);
    this.#followTimer = setTimeout(act, waitMs);
    this.#followTimer.unref();
  }

  #retire(session: EraSession): void {
    const end = () => {
      this.#previous.delete(session);
      if (session.isBusy) this.#retire(session);
      else void session.close();
    };
    this.#previous.set(session, setTimeout(end, this.#context.timeoutMs).unref());
  }

  /** The backend may have changed its era between two requests, and then refuses to open. */
  async #openAgain(session: BackendSession, error: unknown): Promise<BackendIdentity> {
    const way = this.#inner?.way;
    if (mayBeOtherEra(error) && way !== undefined) await this.#recheck(way);
    const now = this.#stop.signal.aborted ? undefined : this.#current();
    if (now === undefined || now === session) throw error;
    return now.open();
  }

  #listenLater(): void {
    if (this.#stop.signal.aborted || this.#inner !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#known().catch(() => this.#listenLater());
    }, this.#backoff.next());
    this.#timer.unref();
  }
}
