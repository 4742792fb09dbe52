/** A backend's era, detected once and cached for all its sessions. */
import type { BackendIdentity } from '../backend.ts';
import type { BackendContext } from '../context.ts';
import { isCallerError } from '../failure.ts';
import { detectEra, opensSession } from './detect-era.ts';
import { EraChanges } from './era-changes.ts';

/**
 * `stateless`: revision 2026-07-28, with or without sessions (`EraProbeResult.inSessions`). `session`: Streamable HTTP with `initialize` only.
 * `sse`: HTTP+SSE.
 */
export type EraName = 'stateless' | 'session' | 'sse';

/** The result of one probe of a backend's era. */
export interface EraProbeResult {
  readonly era: EraName;
  /** The backend's answer to `server/discover`. */
  readonly identity?: BackendIdentity;
  /**
   * The answer to `initialize` of a stateless backend that also opens sessions. Null when the backend opens none, undefined when that is not
   * known yet.
   */
  readonly inSessions?: BackendIdentity | null | undefined;
  /** Whether the probe got no answer. The gateway then assumes sessions if it does not know the era, and keeps an era that it knows. */
  readonly isGuess?: boolean;
}

/**
 * A suspected mismatch has no effect within this time after a probe that confirmed or changed the era; milliseconds. Clients can cause refusals
 * at will.
 */
const FRESH_MS = 1_000;

/** A backend that has changed its era twice has to keep it for this long before sessions that only listen follow it; milliseconds. */
const SETTLING_MS = 5_000;

/** How long the gateway uses a stateless backend's answer to `server/discover` as its present state; milliseconds. */
const IDENTITY_FRESH_MS = 10_000;

/**
 * The number of unanswered era probes, each after a failed health probe, that count as passing failures. After more of them the gateway also
 * sends `initialize` to a backend that it has reached before: old servers may leave `server/discover` unanswered.
 */
const MAX_UNANSWERED = 2;

export interface BackendEraOptions {
  /** What the gateway knows about the backend already. */
  readonly known?: EraName;
  /** Default: `FRESH_MS`. */
  readonly freshMs?: number;
  /** Default: `SETTLING_MS`. */
  readonly settlingMs?: number;
}

export class BackendEra {
  /** Called when the backend has changed its era, or has started or stopped opening sessions. */
  readonly listeners: Set<() => void> = new Set();
  readonly #changes: EraChanges;
  #changeCount = 0;
  #known: EraName | undefined;
  #latest: EraName | undefined;
  /** Consecutive unanswered era probes since a mismatch was suspected. */
  #unanswered = 0;
  /** A suspected mismatch has no effect before this time. */
  #trustedUntil = Number.NEGATIVE_INFINITY;
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

  /** How often the backend has changed its era. */
  get changeCount(): number {
    return this.#changeCount;
  }

  /** The result of the last probe, even if a mismatch is suspected; undefined before the first probe. */
  get latest(): EraName | undefined {
    return this.#latest;
  }

  /** The answer to `initialize` of a stateless backend that also opens sessions; undefined for all other backends. */
  get inSessions(): BackendIdentity | undefined {
    return this.#latest === 'stateless' ? this.#inSessions : undefined;
  }

  /**
   * Chooses, among the ways that the backend supports, how the gateway serves a client: a client with a session loses questions and
   * notifications without one.
   */
  getEraFor(prefersSessions: boolean): EraName | undefined {
    return prefersSessions && this.#known === 'stateless' && this.inSessions !== undefined ? 'session' : this.#known;
  }

  /**
   * Probes the backend unless its era is known. Concurrent callers share the result.
   * @throws BackendError when the gateway cannot reach the backend, or shares no revision with it; it then remembers nothing
   */
  detect(context: BackendContext): Promise<EraName> {
    return this.#known === undefined ? this.#probe(context) : Promise.resolve(this.#known);
  }

  /** Probes again because the backend does not act like one of `era`, unless a probe has just ended. Throws as `detect`. */
  async recheck(era: EraName, context: BackendContext): Promise<EraName> {
    if (this.#known !== undefined && (this.#known !== era || this.#isTrusted)) return this.#known;
    const now = await this.#probe(context);
    if (now === era) this.#confirm();
    return now;
  }

  /**
   * Marks the era as unknown because the server that answers now may be another one: the next use probes again, unless servers of different eras have
   * just answered in turn.
   */
  forget(): void {
    this.#identity = undefined;
    if (!this.isMixed || !this.#isTrusted) this.#known = undefined;
  }

  /**
   * Records that the backend itself has shown another era than before, which clients cannot cause: the next suspected mismatch takes effect at once.
   * When old and new servers answer in turn, each may show its own era.
   */
  invalidate(): void {
    if (!this.isUnsettled) this.#trustedUntil = Number.NEGATIVE_INFINITY;
  }

  /** Whether the backend has changed recently: a refusal may come from a server that is about to stop. */
  get isUnsettled(): boolean {
    return this.#changes.recent > 0;
  }

  /** Whether servers of more than one era answer in turn. */
  get isMixed(): boolean {
    return this.#changes.recent > 1;
  }

  /**
   * How long a session that has nothing to send waits before it follows the latest change, in milliseconds; random, so that sessions do not
   * follow all at once.
   */
  get followingMs(): number {
    return this.#changes.computeWait(this.listeners.size);
  }

  /**
   * Does the same as `followingMs` for a session whose stream the backend refused.
   * @param tries how often the session has tried before
   */
  retryMs(tries: number): number {
    return this.#changes.waitToRetry(tries, this.listeners.size);
  }

  get #isTrusted(): boolean {
    return performance.now() < this.#trustedUntil;
  }

  #confirm(): void {
    this.#trustedUntil = performance.now() + this.#changes.pauseMs;
  }

  /** A stateless backend's answer to `server/discover`, if it is recent. */
  get recentIdentity(): BackendIdentity | undefined {
    return performance.now() - this.#identityAt < IDENTITY_FRESH_MS ? this.#identity : undefined;
  }

  noteIdentity(identity: BackendIdentity): void {
    this.#identity = identity;
    this.#identityAt = performance.now();
    this.#unanswered = 0;
  }

  #probe(context: BackendContext): Promise<EraName> {
    if (this.#detecting !== undefined) return this.#shareDetection(this.#detecting, context);
    this.#detecting = this.#detect(context).finally(() => {
      this.#detecting = undefined;
    });
    return this.#detecting;
  }

  /**
   * Shares one probe among callers. The refusal of another caller says nothing about a caller with a credential of its own, which then probes itself.
   */
  async #shareDetection(detecting: Promise<EraName>, context: BackendContext): Promise<EraName> {
    try {
      return await detecting;
    } catch (error) {
      if (context.credential.owner !== 'caller' || !isCallerError(error)) throw error;
      return this.#known ?? this.#detect(context);
    }
  }

  async #detect(context: BackendContext): Promise<EraName> {
    const { era, identity, inSessions, isGuess } = await detectEra(context);
    const unchanged = isGuess === true ? await this.#detectUnlessItOpens(context) : undefined;
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
    context.log.debug({ backend: context.backend, era, opensSessions }, 'the MCP revision of the backend is known');
    if (before === undefined || (before === era && openedSessions === opensSessions)) return era;
    this.#changeCount++;
    this.#changes.noted();
    this.#confirm();
    for (const changed of [...this.listeners]) changed();
    return era;
  }

  /**
   * The era of a backend that does not answer the probe: its former era, unless it turns out to open sessions. Undefined when no former era is
   * known.
   */
  async #detectUnlessItOpens(context: BackendContext): Promise<EraName | undefined> {
    if (this.#known !== undefined) return this.#known;
    if (this.#latest === undefined || this.#latest === 'session') return undefined;
    const isMoment = ++this.#unanswered <= MAX_UNANSWERED || !(await opensSession(context));
    return isMoment ? this.#latest : undefined;
  }
}
