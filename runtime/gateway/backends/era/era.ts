/** A backend's era, detected once and cached for all its sessions. */
import type { BackendIdentity, BackendRequest, ResponseSink } from '../backend.ts';
import type { BackendContext } from '../context.ts';
import { isCallerError } from '../failure.ts';
import { detectEra, opensSession } from './detect-era.ts';
import { EraChanges } from './era-changes.ts';

/**
 * `stateless`: revision 2026-07-28, with or without sessions (`EraProbeResult.inSessions`). `session`: Streamable HTTP with `initialize` only.
 * `sse`: HTTP+SSE.
 */
export type EraName = 'stateless' | 'session' | 'sse';

/** What a look at a backend gave. */
export interface EraProbeResult {
  readonly era: EraName;
  /** What it answered to `server/discover`. */
  readonly identity?: BackendIdentity;
  /**
   * What a stateless backend that also opens sessions answered to `initialize`. Null where it opens none, undefined where that is not known
   * yet.
   */
  readonly inSessions?: BackendIdentity | null | undefined;
  /** The probe got no answer: that counts for sessions where the era is not known, and does not change an era that is known. */
  readonly isGuess?: boolean;
}

/** Is notified of responses that only a backend of another era gives. */
export interface EraWatch {
  /**
   * The backend turned `request` down unread, as one of another era does. Either it is sent again in that other era, or
   * `deliver` hands on the answer that came.
   */
  doubted(request: BackendRequest, sink: ResponseSink, deliver: () => void): void;
  /** The same where nothing can be sent again. */
  suspected(): void;
  /** No session could be opened: another look may tell why. */
  notOpened(): void;
}

/**
 * A doubt within this time after one that was none, or after a change, changes nothing; milliseconds. Refusals can be caused
 * at will.
 */
const FRESH_MS = 1_000;

/** A backend that has changed twice has to stay what it is for so long before those follow who only listen; milliseconds. */
const SETTLING_MS = 5_000;

/** How long a stateless backend's answer to `server/discover` is taken for its present state; milliseconds. */
const IDENTITY_FRESH_MS = 10_000;

/**
 * So many unanswered probes of the era count as passing failures, each after a failed probe. From the next one on a backend that was
 * reached before is asked for a session, too: older ones may leave `server/discover` without an answer.
 */
const MAX_UNANSWERED = 2;

export interface BackendEraOptions {
  /** What is known already. */
  readonly known?: EraName;
  /** Default: `FRESH_MS`. */
  readonly freshMs?: number;
  /** Default: `SETTLING_MS`. */
  readonly settlingMs?: number;
}

export class BackendEra {
  /** Called when the backend has turned out to be of another era than it was, or to open sessions or none unlike before. */
  readonly listeners: Set<() => void> = new Set();
  readonly #changes: EraChanges;
  #changeCount = 0;
  #known: EraName | undefined;
  #latest: EraName | undefined;
  /** Consecutive unanswered probes of the era while it was in doubt. */
  #unanswered = 0;
  /** Until then a doubt changes nothing. */
  #isBelievedUntil = Number.NEGATIVE_INFINITY;
  #identity: BackendIdentity | undefined;
  #identityAt = 0;
  #inSessions: BackendIdentity | undefined;
  #detecting: Promise<EraName> | undefined;

  constructor(options: BackendEraOptions = {}) {
    this.#known = options.known;
    this.#latest = options.known;
    const { freshMs = FRESH_MS, settlingMs = SETTLING_MS } = options;
    this.#changes = new EraChanges({ pauseMs: freshMs, settlingMs });
  }

  get known(): EraName | undefined {
    return this.#known;
  }

  /** How often it has turned out to be another one. */
  get changeCount(): number {
    return this.#changeCount;
  }

  /** What the last look gave, be it in doubt or not; undefined before the first. */
  get latest(): EraName | undefined {
    return this.#latest;
  }

  /** What a stateless backend that also opens sessions answered to `initialize`; undefined for all others. */
  get inSessions(): BackendIdentity | undefined {
    return this.#latest === 'stateless' ? this.#inSessions : undefined;
  }

  /** How a client is served, of the ways that the backend has: one in a session loses questions and more without. */
  wayFor(prefersSessions: boolean): EraName | undefined {
    return prefersSessions && this.#known === 'stateless' && this.inSessions !== undefined ? 'session' : this.#known;
  }

  /**
   * Probes the backend unless its era is known. Concurrent callers share the result.
   *
   * @throws BackendError when the backend cannot be reached, or has no revision in common with us; nothing is remembered then
   */
  detect(context: BackendContext): Promise<EraName> {
    return this.#known === undefined ? this.#look(context) : Promise.resolve(this.#known);
  }

  /** The backend does not act like one of `era`: looks again, unless that was done just now. Throws as `detect`. */
  async recheck(era: EraName, context: BackendContext): Promise<EraName> {
    if (this.#known !== undefined && (this.#known !== era || this.#isBelieved)) return this.#known;
    const now = await this.#look(context);
    if (now === era) this.#confirm();
    return now;
  }

  /** The backend may be another one by now: the next use looks again, unless one has just shown it to be this and that in turn. */
  forget(): void {
    this.#identity = undefined;
    if (!this.isMixed || !this.#isBelieved) this.#known = undefined;
  }

  /**
   * The backend itself has shown another era than before, which clients cannot cause: the next doubt counts at once. When old and new
   * servers answer in turn, each may show its own.
   */
  contradicted(): void {
    if (!this.isUnsettled) this.#isBelievedUntil = Number.NEGATIVE_INFINITY;
  }

  /** Has changed recently: a refusal may be that of a server that is on its way out. */
  get isUnsettled(): boolean {
    return this.#changes.recent > 0;
  }

  /** Servers of more than one era answer in turn. */
  get isMixed(): boolean {
    return this.#changes.recent > 1;
  }

  /** How long a session that has nothing to send waits before it follows the latest change; milliseconds, another for each. */
  get followingMs(): number {
    return this.#changes.computeWait(this.listeners.size);
  }

  /** The same for a session whose stream was refused; `tries`: how often it has tried again before. */
  retryMs(tries: number): number {
    return this.#changes.waitToRetry(tries, this.listeners.size);
  }

  get #isBelieved(): boolean {
    return performance.now() < this.#isBelievedUntil;
  }

  #confirm(): void {
    this.#isBelievedUntil = performance.now() + this.#changes.pauseMs;
  }

  /** What a stateless backend answered to `server/discover` a moment ago. */
  get recentIdentity(): BackendIdentity | undefined {
    return performance.now() - this.#identityAt < IDENTITY_FRESH_MS ? this.#identity : undefined;
  }

  noteIdentity(identity: BackendIdentity): void {
    this.#identity = identity;
    this.#identityAt = performance.now();
    this.#unanswered = 0;
  }

  #look(context: BackendContext): Promise<EraName> {
    if (this.#detecting !== undefined) return this.#shared(this.#detecting, context);
    this.#detecting = this.#detect(context).finally(() => {
      this.#detecting = undefined;
    });
    return this.#detecting;
  }

  /** That another caller was refused says nothing about a caller with a credential of its own. */
  async #shared(detecting: Promise<EraName>, context: BackendContext): Promise<EraName> {
    try {
      return await detecting;
    } catch (error) {
      if (context.credential.owner !== 'caller' || !isCallerError(error)) throw error;
      return this.#known ?? this.#detect(context);
    }
  }

  async #detect(context: BackendContext): Promise<EraName> {
    const { era, identity, inSessions, isGuess } = await detectEra(context);
    const unchanged = isGuess === true ? await this.#unlessItOpens(context) : undefined;
    if (unchanged !== undefined) {
      this.#known = unchanged;
      return unchanged;
    }
    const before = this.#latest;
    const openedSessions = this.inSessions !== undefined;
    if (inSessions !== undefined) this.#inSessions = inSessions ?? undefined;
    this.#known = era;
    this.#latest = era;
    this.#unanswered = 0;
    if (identity !== undefined) this.noteIdentity(identity);
    const opensSessions = this.inSessions !== undefined;
    context.log.debug(
      { backend: context.backend, era, opensSessions },
      'the way in which the backend speaks MCP is known',
    );
    if (before === undefined || (before === era && openedSessions === opensSessions)) return era;
    this.#changeCount++;
    this.#changes.noted();
    this.#confirm();
    for (const changed of [...this.listeners]) changed();
    return era;
  }

  /** What a backend still is that says nothing: what it was, unless it turns out to have sessions; undefined for nothing else than that. */
  async #unlessItOpens(context: BackendContext): Promise<EraName | undefined> {
    if (this.#known !== undefined) return this.#known;
    if (this.#latest === undefined || this.#latest === 'session') return undefined;
    const isMoment = ++this.#unanswered <= MAX_UNANSWERED || !(await opensSession(context));
    return isMoment ? this.#latest : undefined;
  }
}
