/** A session with a backend of unknown era. It uses the backend's era, and switches when the backend returns with another one. */

import type { ResponseSink } from '../../../mcp/response-sink.ts';
import type {
  BackendIdentity,
  BackendListener,
  BackendRequest,
  BackendSession,
  SavedBackendSession,
} from '../backend.ts';
import { Backoff } from '../backoff.ts';
import type { BackendContext } from '../context.ts';
import type { EraWatch } from '../era-watch.ts';
import { createSessionClosed, mayBeOtherEra } from '../failure.ts';
import { StreamableHttpSession } from '../http/streamable-http.ts';
import { findMessageKind } from '../messages/message-kind.ts';
import type { SessionReplay } from '../session-replay.ts';
import { SseSession } from '../sse/sse.ts';
import { StatelessSession } from '../stateless/stateless.ts';
import { untilAborted } from '../until-aborted.ts';
import type { BackendEra, EraName } from './era.ts';

/** A session of one era. */
interface EraSession extends BackendSession {
  /** Whether requests are running in the session. */
  readonly isBusy: boolean;
  /** Whether the backend asked its client this question in a running request; `id` in the notation of `findMessageKind`. */
  hasAsked(id: string): boolean;
  subscribedElsewhere(uri: string, isSubscribed: boolean): void;
}

/** How often a refused stream is requested again while the backend changes its era. Limited, because some backends have no stream. */
const MAX_TRIES = 3;

export class EraSwitchingSession implements BackendSession {
  readonly backend: string;
  readonly #context: BackendContext;
  readonly #era: BackendEra;
  readonly #memory: SessionReplay;
  #inner: { readonly way: EraName; readonly session: EraSession } | undefined;
  /** Sessions of a former era, whose running requests may still succeed. */
  readonly #previous: Map<EraSession, NodeJS.Timeout> = new Map();
  readonly #resent: WeakSet<BackendRequest> = new WeakSet();
  readonly #backoff: Backoff;
  #listener: BackendListener | undefined;
  /** Whether `listen` was called, so that the session needs a stream even without requests. */
  #listens = false;
  #timer: NodeJS.Timeout | undefined;
  /** Listeners switch without waiting for a request. A late switch loses nothing, because `missed` triggers new reads. */
  readonly #follow = (): void => this.#runLater(this.#era.followingMs, () => this.#current());
  #followTimer: NodeJS.Timeout | undefined;
  /** How often this session's stream was requested again. */
  #tries = 0;
  readonly #stop: AbortController = new AbortController();

  constructor(context: BackendContext, era: BackendEra, memory: SessionReplay) {
    this.backend = context.backend;
    this.#context = context;
    this.#era = era;
    this.#memory = memory;
    this.#backoff = new Backoff(context.reconnect);
  }

  /** Also true while a previous session is open, in which requests may still run. */
  get sharesOneStream(): boolean {
    return this.#inner?.session.sharesOneStream === true || this.#previous.size > 0;
  }

  get isOpen(): boolean {
    return this.#inner?.session.isOpen === true;
  }

  async open(): Promise<BackendIdentity> {
    const session = await this.#getKnown();
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
      this.#getKnown().then(
        found => found.request(request, sink),
        error => sink.fail(error),
      );
    }
  }

  async post(text: string): Promise<void> {
    const session = this.#inner?.session;
    if (this.#previous.size === 0 || session === undefined) await session?.post(text);
    else await Promise.all(this.#listConcerned(session, text).map(concerned => concerned.post(text)));
  }

  /**
   * The sessions that a client's message is for: an answer goes to the session of the question, a notification to all sessions with running requests.
   */
  #listConcerned(current: EraSession, text: string): EraSession[] {
    const sessions = [current, ...this.#previous.keys()];
    const kind = findMessageKind(Buffer.from(text));
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
    // A session that has just been created, or will be once the era is known, gets the listener by itself.
    if (before !== undefined && before === this.#inner) before.session.listen(listener);
    else if (session === undefined) this.#getKnown().catch(() => this.#listenLater());
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
    this.#stop.abort(createSessionClosed(this.backend));
    this.#era.listeners.delete(this.#follow);
    clearTimeout(this.#timer);
    clearTimeout(this.#followTimer);
    for (const timer of this.#previous.values()) clearTimeout(timer);
    const sessions = [...this.#previous.keys(), ...(this.#inner === undefined ? [] : [this.#inner.session])];
    await Promise.all(sessions.map(session => session.close(isLeft)));
  }

  /** The session for the backend's known era; undefined while the era is unknown. */
  #current(): BackendSession | undefined {
    const era = this.#era.known;
    if (era === undefined) return undefined;
    return this.#stop.signal.aborted ? this.#inner?.session : this.#getSession(era);
  }

  /** Returns the session of an era, and creates it if necessary. */
  #getSession(era: EraName): BackendSession {
    const way = this.#way ?? era;
    return way === this.#inner?.way ? this.#inner.session : this.#changeTo(way);
  }

  /** The era that suits this client among those that the backend is known to support. */
  get #way(): EraName | undefined {
    return this.#era.getEraFor(this.#context.prefersSessions);
  }

  /** Probes again, because the backend does not behave like its era. */
  #recheck(way: EraName): Promise<EraName> {
    const era = way === this.#way ? this.#era.known : undefined;
    return this.#era.recheck(era ?? way, this.#context);
  }

  async #getKnown(): Promise<BackendSession> {
    const { signal } = this.#stop;
    signal.throwIfAborted();
    // Other sessions share the probe: closing this session only ends its own waiting.
    const era = await untilAborted(this.#era.detect(this.#context), signal);
    signal.throwIfAborted();
    return this.#getSession(era);
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
      onEraMismatch: (request, sink, deliver) => this.#handleEraMismatch(way, request, sink, deliver),
      suspectMismatch: () => this.#handleSuspicion(way),
      notOpened: () => this.#era.forget(),
    };
    if (way === 'session') return new StreamableHttpSession(this.#context, this.#memory, watch);
    if (way === 'sse') return new SseSession(this.#context, this.#memory, watch);
    return new StatelessSession(this.#context, { memory: this.#memory, era: this.#era, watch });
  }

  /** Handles a response of the backend that contradicts the session's era. */
  #handleEraMismatch(way: EraName, request: BackendRequest, sink: ResponseSink, deliver: () => void): void {
    if (this.#resent.has(request)) {
      deliver();
      return;
    }
    this.#recheck(way).then(now => {
      // If the request is sent again, it may reach a server of this era.
      const mayFareBetter = (this.#way ?? now) !== way || this.#era.isMixed;
      if (!mayFareBetter || this.#stop.signal.aborted) return deliver();
      this.#resent.add(request);
      this.request(request, sink);
    }, deliver);
  }

  #handleSuspicion(way: EraName): void {
    const session = this.#inner?.session;
    this.#recheck(way).then(
      () => {
        if (this.#current() === session) this.#listenAgain(session);
      },
      () => {},
    );
  }

  /** Requests a refused stream again. A server that is shutting down may refuse what its successor accepts. HTTP+SSE retries by itself. */
  #listenAgain(session: BackendSession | undefined): void {
    const wantsStream = this.#inner?.way === 'stateless' && this.#listens;
    if (!wantsStream || !this.#era.isUnsettled || this.#tries === MAX_TRIES) return;
    this.#runLater(this.#era.retryMs(this.#tries++), () => {
      if (this.#current() === session && this.#listener !== undefined) session?.listen(this.#listener);
    });
  }

  /** Runs `act` after a time, in place of an action that is already scheduled. */
  #runLater(waitMs: number, act: () => void): void {
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

  /** Opens the session of another era, if probing shows that the backend has changed its era between two requests. */
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
      this.#getKnown().catch(() => this.#listenLater());
    }, this.#backoff.next());
    this.#timer.unref();
  }
}
