/**
 * Keeps one backend known: what it offers and how it is. Lists are read at the start, at every health interval and whenever
 * the backend says that they changed. The only writer of a backend's health; lists, `/status` and routing read it here.
 */

import type { OperationalPlan } from '#schemas';
import { backoffMs, LinkedAbort } from '#util';
import type { Logger } from '../../../observe/log.ts';
import type { OwnWork } from '../../../observe/own-work.ts';
import { announcesChange, type Capabilities, NO_CAPABILITIES } from '../../offers/capabilities.ts';
import { changedMethods, sameLists } from '../../offers/same-lists.ts';
import { shortened } from '../../offers/shortened.ts';
import { abortable } from '../abortable.ts';
import { BackendError, type BackendFailure, type BackendIdentity, type BackendSession } from '../backend.ts';
import { listRoom, readCapabilities } from '../read-capabilities.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { circuitOpen } from './guarded-session.ts';
import { outcomeOfFailure } from './outcome.ts';
import { ReadingPause } from './reading-pause.ts';
import { RepeatedNews } from './repeated-news.ts';

/** `ready` and `degraded` serve; `unknown` has never answered. */
export type BackendStatus = 'ready' | 'degraded' | 'unavailable' | 'unauthenticated' | 'unknown';

export interface BackendHealth {
  readonly status: BackendStatus;
  /** Why the last probe failed; empty after a success. */
  readonly message: string;
  readonly reason: BackendFailure | null;
  /** ISO 8601, or null before the first probe ended. */
  readonly lastCheck: string | null;
  readonly consecutiveFailures: number;
  /** The MCP revision that the backend answered with, or null. */
  readonly mcpRevision: string | null;
}

/** A probe slower than this marks the backend as degraded; milliseconds. */
const SLOW_PROBE_MS = 5_000;

/** A backend that is away is looked for after this long, then twice as long, up to the health interval; milliseconds. */
const FIRST_RETRY_MS = 500;

/** Notifications that arrive together cause one probe; milliseconds. */
const CHANGE_SETTLE_MS = 20;

const NOT_CHECKED: BackendHealth = {
  status: 'unknown',
  message: 'not checked yet',
  reason: null,
  lastCheck: null,
  consecutiveFailures: 0,
  mcpRevision: null,
};

/** What a backend answered in one session. */
export interface BackendOffering {
  /** What it said in `initialize` that it can do. */
  readonly announced: BackendIdentity['capabilities'];
  readonly capabilities: Capabilities;
  readonly mcpRevision: string;
}

export interface MonitorOptions {
  readonly backend: string;
  readonly health: OperationalPlan['health'];
  readonly log: Logger;
  /** What was known about the backend when a former bundle reached it in another way. It holds until a probe says otherwise. */
  readonly earlier?: BackendMonitor | undefined;
  /** Asked before each probe, and given its outcome; shared with the sessions of callers, and with other connections to the backend. */
  readonly circuit?: CircuitBreaker | undefined;
  /** Each caller has a credential of its own: that the backend refuses us means that it is there. */
  readonly isPerCaller?: boolean;
  /** A reading of its lists begins. */
  onReading?(): OwnWork | undefined;
  openSession(): BackendSession;
  /** Ends a session that `openSession` gave; never rejects. */
  endSession(session: BackendSession): Promise<void>;
  /** Called after each probe, and with every change of the status. */
  onChange(): void;
  /** Called when the backend says that a list changed, or may have said so. */
  onAnnounced?(): void;
  /** Called after a reading that found unchanged what the backend had announced as changed: the methods of its notifications. */
  onRepeated?(methods: readonly string[]): void;
}

export class BackendMonitor {
  readonly #backend: string;
  #announced: BackendIdentity['capabilities'];
  #capabilities: Capabilities;
  #health: BackendHealth;
  readonly #options: MonitorOptions;
  #limits: OperationalPlan['health'];
  readonly #stop = new AbortController();
  #session: BackendSession | undefined;
  #timer: NodeJS.Timeout | undefined;
  #probing: Promise<void> | undefined;
  #probedAt = Number.NEGATIVE_INFINITY;
  /** When the next probe begins that is waited for. */
  #dueAt = Number.POSITIVE_INFINITY;
  readonly #pause = new ReadingPause();
  readonly #repeats = new RepeatedNews();
  /** By which the backend has announced changes since the last reading began: methods of notifications. */
  #announcedBy = new Set<string>();
  /** Something speaks for a probe before the next one is due, and none has begun since. */
  #isWanted = false;
  /** For callers that wait for the next probe to begin, and to end. */
  #awaited: PromiseWithResolvers<void> | undefined;
  #isStarted = false;
  /** The circuit was not closed when it was last looked at. */
  #isCut: boolean;
  readonly #firstProbe = Promise.withResolvers<void>();
  /** While a caller waits for the backend to be healthy. */
  #well: PromiseWithResolvers<void> | undefined;

  constructor(options: MonitorOptions) {
    this.#backend = options.backend;
    this.#options = options;
    this.#limits = options.health;
    this.#announced = options.earlier?.announced ?? {};
    this.#capabilities = options.earlier?.capabilities ?? NO_CAPABILITIES;
    this.#health = options.earlier === undefined ? NOT_CHECKED : options.earlier.#health;
    this.#isCut = this.circuit !== undefined && this.circuit.state !== 'closed';
    this.circuit?.listeners.add(this.#onCircuit);
  }

  /** What the backend said in `initialize` that it can do. */
  get announced(): BackendIdentity['capabilities'] {
    return this.#announced;
  }

  /** Its lists, as far as they are the same for all callers; the same object while they say the same. */
  get capabilities(): Capabilities {
    return this.#capabilities;
  }

  /** What probes found; while the circuit is not closed, that it serves no caller. */
  get health(): BackendHealth {
    const { circuit } = this;
    if (circuit === undefined || circuit.state === 'closed') return this.#health;
    const { consecutiveFailures, lastCheck, mcpRevision, reason } = this.#health;
    const { lastFailure, state } = circuit;
    const message = `the circuit is ${state} after failures in a row; the last: ${lastFailure}`;
    return { status: 'unavailable', message, reason, lastCheck, consecutiveFailures, mcpRevision };
  }

  get circuit(): CircuitBreaker | undefined {
    return this.#options.circuit;
  }

  /** It is not available, and one request may find out whether it is back. */
  get mayTry(): boolean {
    return this.circuit?.state === 'half-open' && this.circuit.lets;
  }

  /** Calls may go there. */
  get available(): boolean {
    return this.answersUs || this.asksCallers;
  }

  /** It answers, and its lists are known. */
  get answersUs(): boolean {
    const { status } = this.health;
    return status === 'ready' || status === 'degraded';
  }

  /** It answers callers, and not us: what it offers has to be asked in the name of one. */
  get asksCallers(): boolean {
    return this.#options.isPerCaller === true && this.health.status === 'unauthenticated';
  }

  /** It has answered since the start, so that there is no need to go by the lock. */
  get isKnown(): boolean {
    return this.available || this.#health.mcpRevision !== null;
  }

  get limits(): OperationalPlan['health'] {
    return this.#limits;
  }

  /** Takes over what an earlier connection to the same backend knows by now, unless this one was answered itself. */
  inherit(earlier: BackendMonitor | undefined): void {
    if (earlier === undefined || this.#health.status !== 'unknown') return;
    this.#announced = earlier.announced;
    this.#capabilities = earlier.capabilities;
    this.#health = earlier.#health;
  }

  /** The first probe, unless it has begun. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#firstProbe.resolve(this.check());
  }

  /** Resolves when the first probe has ended, well or not. */
  get settled(): Promise<void> {
    return this.#firstProbe.promise;
  }

  /** Other intervals and limits, from the next probe on. */
  configure({ health, circuitBreaker }: Pick<OperationalPlan, 'health' | 'circuitBreaker'>): void {
    this.#limits = health;
    if (circuitBreaker !== undefined) this.circuit?.configure(circuitBreaker);
    if (this.#probing !== undefined) return;
    const nextMs = this.#nextProbeMs();
    this.#schedule(this.#isWanted ? Math.min(this.#dueAt - performance.now(), nextMs) : nextMs);
  }

  /** Probes now, unless a probe is under way; resolves when it has ended. */
  check(): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    if (this.#probing === undefined && this.circuit?.lets === false) {
      this.#isWanted = false;
      this.#schedule(this.#nextProbeMs());
      return Promise.resolve();
    }
    if (this.#probing === undefined) {
      clearTimeout(this.#timer);
      this.#isWanted = false;
      const awaited = this.#awaited;
      this.#awaited = undefined;
      this.#probing = this.#probe().finally(() => {
        this.#probing = undefined;
        awaited?.resolve();
        this.#probedAt = performance.now();
        const nextMs = this.#nextProbeMs();
        this.#schedule(this.#isWanted ? Math.min(this.#pause.ms, nextMs) : nextMs);
      });
    }
    return this.#probing;
  }

  /**
   * Reads the lists in a session that is one of a caller; ends it. Nothing here changes by that.
   *
   * @throws BackendError
   */
  async readIn(session: BackendSession): Promise<BackendOffering> {
    const { timeoutMs } = this.#limits;
    const limit = AbortSignal.timeout(timeoutMs);
    const abort = new LinkedAbort([limit, this.#stop.signal]);
    const work = this.#options.onReading?.();
    try {
      const capabilities = await abortable(readCapabilities(this.#backend, session, abort.signal), abort.signal);
      const { protocolVersion, capabilities: announced } = await abortable(session.open(), abort.signal);
      work?.end();
      return { announced, capabilities, mcpRevision: protocolVersion };
    } catch (error) {
      const failure = limit.aborted ? this.#tooSlow(timeoutMs) : asBackendError(this.#backend, error);
      work?.end(failure.reason);
      throw failure;
    } finally {
      abort[Symbol.dispose]();
      void this.#options.endSession(session);
    }
  }

  /** Takes the lists that a caller got from the backend, while it answers callers only. The status stays: it is about us. */
  learnt({ announced, mcpRevision }: Omit<BackendOffering, 'capabilities'>): void {
    if (!this.asksCallers || this.#stop.signal.aborted) return;
    this.#announced = announced;
    if (mcpRevision !== this.#health.mcpRevision) this.#update({ ...this.#health, mcpRevision });
  }

  /** Probes before the next probe is due: a list changed, or a call failed. Never sooner than the pause after the last one. */
  lookSoon(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    if (this.#probing !== undefined) return;
    const now = performance.now();
    const waitMs = Math.max(CHANGE_SETTLE_MS, this.#probedAt + this.#pause.ms - now);
    this.#schedule(Math.min(waitMs, this.#dueAt - now));
  }

  /** Resolves when a probe finds that calls can be sent, or when the backend is watched no more. */
  well(): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    this.#well ??= Promise.withResolvers();
    return this.#well.promise;
  }

  /** As `lookSoon`. Resolves when a probe that has begun since then has ended, well or not: one for all who wait for it. */
  lookAgain(): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    this.lookSoon();
    if (this.#probing === undefined && this.circuit?.lets === false) return Promise.resolve();
    this.#awaited ??= Promise.withResolvers();
    return this.#awaited.promise;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.circuit?.listeners.delete(this.#onCircuit);
    this.#firstProbe.resolve();
    this.#isWell();
    this.#awaited?.resolve();
    clearTimeout(this.#timer);
    await this.#endSession();
  }

  async #probe(): Promise<void> {
    const { timeoutMs } = this.#limits;
    const startedAt = performance.now();
    const ticket = this.circuit?.take();
    const limit = AbortSignal.timeout(timeoutMs);
    const abort = new LinkedAbort([limit, this.#stop.signal]);
    const room = listRoom();
    const { bytesLeft } = room;
    const announcedBy = this.#announcedBy;
    this.#announcedBy = new Set();
    const work = this.#options.onReading?.();
    try {
      const session = this.#openSession();
      const { signal } = abort;
      const capabilities = await abortable(readCapabilities(this.#backend, session, signal, room), signal);
      const { protocolVersion, capabilities: announced } = await abortable(session.open(), signal);
      work?.end();
      this.#announced = announced;
      const before = this.#capabilities;
      if (ticket !== undefined) this.circuit?.settle(ticket, 'success');
      this.#succeeded(capabilities, protocolVersion, performance.now() - startedAt);
      this.#repeated(announcedBy, before);
    } catch (error) {
      const failure = limit.aborted ? this.#tooSlow(timeoutMs) : asBackendError(this.#backend, error);
      work?.end(failure.reason);
      const isStopped = this.#stop.signal.aborted;
      if (ticket !== undefined) {
        this.circuit?.settle(ticket, isStopped ? 'neither' : outcomeOfFailure(failure), failure.message);
      }
      if (isStopped) return;
      for (const method of announcedBy) this.#announcedBy.add(method);
      // A session that failed a probe may be half-dead: the next probe starts from `initialize`.
      void this.#endSession();
      this.#failed(failure);
    } finally {
      abort[Symbol.dispose]();
      this.#pause.hasRead(bytesLeft - room.bytesLeft);
    }
  }

  /** Changes of lists are announced by those who read them here; what was announced and is the same as before is not. */
  #repeated(announcedBy: ReadonlySet<string>, before: Capabilities): void {
    const { onRepeated } = this.#options;
    if (announcedBy.size === 0 || onRepeated === undefined) return;
    const changed = changedMethods(before, this.#capabilities);
    const repeated = [...announcedBy].filter(method => !changed.has(method) && this.#repeats.mayTell(method));
    if (repeated.length > 0) onRepeated(repeated);
  }

  #tooSlow(limitMs: number): BackendError {
    return new BackendError(this.#backend, 'timeout', `did not answer the health check within ${limitMs} ms`);
  }

  #openSession(): BackendSession {
    if (this.#session === undefined) {
      const session = this.#options.openSession();
      session.listen({
        message: notification => {
          if (!announcesChange(notification)) return;
          this.#announcedBy.add(notification.method);
          this.#mayHaveChanged();
        },
        missed: () => this.#mayHaveChanged(),
      });
      this.#session = session;
    }
    return this.#session;
  }

  #mayHaveChanged(): void {
    this.#options.onAnnounced?.();
    this.lookSoon();
  }

  async #endSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (session !== undefined) await this.#options.endSession(session);
  }

  #succeeded(capabilities: Capabilities, mcpRevision: string, tookMs: number): void {
    const before = this.#health;
    const recovering = before.status === 'unavailable' || before.status === 'unauthenticated';
    const status = tookMs > SLOW_PROBE_MS || recovering ? 'degraded' : 'ready';
    const message =
      status === 'ready'
        ? ''
        : recovering
          ? 'recovered; one more check confirms it'
          : `answered in ${Math.round(tookMs)} ms`;
    if (!sameLists(this.#capabilities, capabilities)) {
      this.#capabilities = capabilities;
      this.#pause.hasChanged();
    }
    this.#update({ status, message, reason: null, consecutiveFailures: 0, mcpRevision });
    if (before.status !== status) {
      const why = message === '' ? '' : `: ${message}`;
      this.#options.log.info({ backend: this.#backend, status }, `backend "${this.#backend}" is ${status}${why}`);
    }
  }

  /** Until the threshold the last known state holds: one lost probe must not make tools vanish. */
  #failed(error: BackendError): void {
    const before = this.#health;
    const { message, reason } = error;
    const isThere =
      this.#options.isPerCaller === true && reason === 'unauthenticated' && error.httpStatus !== undefined;
    const consecutiveFailures = isThere ? 0 : before.consecutiveFailures + 1;
    const status =
      reason === 'unauthenticated'
        ? 'unauthenticated'
        : consecutiveFailures >= this.#limits.unhealthyThreshold
          ? 'unavailable'
          : before.status;
    // From now on each caller has lists of its own.
    if (this.#options.isPerCaller === true && status === 'unauthenticated') this.#capabilities = NO_CAPABILITIES;
    this.#update({ status, message, reason, consecutiveFailures, mcpRevision: before.mcpRevision });
    // A backend that stays away is no news, nor is one that wants to know who calls.
    const isNews = status !== before.status || message !== before.message;
    const level = isNews ? (isThere ? 'info' : 'warn') : 'debug';
    const consequence = status === before.status ? `still counts as ${status}` : `is ${status} now`;
    const fields = { backend: this.#backend, status, reason, failures: consecutiveFailures };
    const count = isThere ? '' : `failure ${consecutiveFailures}, `;
    this.#options.log[level](fields, `${message}; ${count}${consequence}`);
  }

  #update(health: Omit<BackendHealth, 'lastCheck'>): void {
    this.#health = { ...health, lastCheck: new Date().toISOString() };
    this.#options.onChange();
    if (health.consecutiveFailures === 0) this.#isWell();
  }

  /** The circuit has opened or closed, or the request that tried it was given up. */
  readonly #onCircuit = (): void => {
    const { circuit } = this;
    if (circuit === undefined || this.#stop.signal.aborted) return;
    const { state } = circuit;
    const wasCut = this.#isCut;
    this.#isCut = state !== 'closed';
    if (wasCut !== this.#isCut) this.#circuitChanged(circuit);
    if (this.#probing !== undefined) return;
    if (state === 'open') {
      this.#isWanted = false;
      this.#awaited?.resolve();
      this.#awaited = undefined;
      this.#schedule(this.#nextProbeMs());
    } else this.lookSoon();
  };

  #circuitChanged(circuit: CircuitBreaker): void {
    const fields = { backend: this.#backend, circuit: circuit.state };
    if (this.#isCut)
      this.#options.log.warn(
        fields,
        `${circuitOpen(this.#backend, circuit).message}; the last: ${circuit.lastFailure}`,
      );
    else this.#options.log.info(fields, `backend "${this.#backend}": the circuit is closed again`);
    const { status } = this.#health;
    if (this.#isCut || status !== 'unavailable') this.#options.onChange();
    else {
      // A call found it before a probe did.
      const message = 'recovered; one more check confirms it';
      this.#update({ ...this.#health, status: 'degraded', message, reason: null, consecutiveFailures: 0 });
    }
  }

  #isWell(): void {
    this.#well?.resolve();
    this.#well = undefined;
  }

  #nextProbeMs(): number {
    const { intervalMs } = this.#limits;
    const waitMs = this.circuit?.waitMs ?? 0;
    // The first probe after that finds it half-open.
    if (waitMs > 0) return waitMs;
    const { consecutiveFailures, message, reason } = this.#health;
    const base =
      consecutiveFailures > 0
        ? backoffMs(consecutiveFailures, { firstMs: FIRST_RETRY_MS, longestMs: intervalMs })
        : message !== '' && reason === null
          ? FIRST_RETRY_MS * 4
          : intervalMs;
    // Spread the probes of many gateways over the interval instead of in step.
    return Math.min(base, intervalMs) * (0.9 + Math.random() * 0.2);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#stop.signal.aborted) return;
    // Nothing is asked while the circuit is open.
    const waitMs = Math.max(delayMs, this.circuit?.waitMs ?? 0);
    this.#dueAt = performance.now() + waitMs;
    this.#timer = setTimeout(() => void this.check(), waitMs);
    this.#timer.unref();
  }
}

function asBackendError(backend: string, error: unknown): BackendError {
  if (error instanceof BackendError) return error;
  return new BackendError(backend, 'protocol_error', shortened(error instanceof Error ? error.message : String(error)));
}
