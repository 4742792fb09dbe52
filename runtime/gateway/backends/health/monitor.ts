/**
 * Keeps one backend known: what it offers and how it is. Lists are read at the start, at every health interval and whenever
 * the backend says that they changed. The only writer of a backend's health; lists, `/status` and routing read it here.
 */

import type { OperationalPlan } from '#schemas';
import { LinkedAbort } from '#util';
import type { Logger } from '../../../observe/log.ts';
import type { OwnWork } from '../../../observe/own-work.ts';
import { areListsEqual, changedMethods } from '../../offers/lists-equal.ts';
import { announcesChange, NOTHING_OFFERED, type OfferedItems } from '../../offers/offered-items.ts';
import { truncate } from '../../offers/truncate.ts';
import { abortable } from '../abortable.ts';
import { BackendError, type BackendIdentity, type BackendSession } from '../backend.ts';
import { listRoom, readOfferedItems } from '../read-offered-items.ts';
import {
  type BackendHealth,
  type CheckedHealth,
  healthAfterFailure,
  healthAfterRecovery,
  healthAfterSuccess,
  healthBehind,
  isThere,
  NOT_CHECKED,
} from './backend-health.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { HealthLog } from './health-log.ts';
import { NotificationBackoff } from './notification-backoff.ts';
import { outcomeOfFailure } from './outcome.ts';
import { ProbeSchedule } from './probe-schedule.ts';

/** What a backend answered in one session. */
export interface BackendOffering {
  /** The capabilities that it announced in `initialize`. */
  readonly announced: BackendIdentity['capabilities'];
  readonly items: OfferedItems;
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
  /** Called when the backend notifies of a changed list, or may have done so. */
  onAnnounced?(): void;
  /** Called after a reading that found unchanged what the backend had announced as changed: the methods of its notifications. */
  onRepeated?(methods: readonly string[]): void;
}

export class BackendMonitor {
  readonly #backend: string;
  readonly #log: HealthLog;
  readonly #schedule: ProbeSchedule;
  #announced: BackendIdentity['capabilities'];
  #items: OfferedItems;
  #health: BackendHealth;
  readonly #options: MonitorOptions;
  #limits: OperationalPlan['health'];
  readonly #stop = new AbortController();
  #session: BackendSession | undefined;
  #probing: Promise<void> | undefined;
  readonly #repeats = new NotificationBackoff();
  /** By which the backend has announced changes since the last reading began: methods of notifications. */
  #announcedBy = new Set<string>();
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
    this.#log = new HealthLog(options.backend, options.log);
    this.#schedule = new ProbeSchedule({
      probe: () => void this.check(),
      health: () => this.#health,
      intervalMs: () => this.#limits.intervalMs,
      circuit: options.circuit,
    });
    this.#announced = options.earlier?.announced ?? {};
    this.#items = options.earlier?.items ?? NOTHING_OFFERED;
    this.#health = options.earlier === undefined ? NOT_CHECKED : options.earlier.#health;
    this.#isCut = this.circuit !== undefined && this.circuit.state !== 'closed';
    this.circuit?.listeners.add(this.#onCircuit);
  }

  /** The capabilities that the backend announced in `initialize`. */
  get announced(): BackendIdentity['capabilities'] {
    return this.#announced;
  }

  /** Its lists, as far as they are the same for all callers; the same object while they say the same. */
  get items(): OfferedItems {
    return this.#items;
  }

  /** What probes found; while the circuit is not closed, that it serves no caller. */
  get health(): BackendHealth {
    return healthBehind(this.circuit, this.#health);
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

  /** It has answered since the start, so that the tool lock is not needed. */
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
    this.#items = earlier.items;
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
    this.#schedule.reconfigured();
  }

  /** Probes now, unless a probe is under way; resolves when it has ended. */
  check(): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    if (this.#probing === undefined && this.circuit?.lets === false) {
      this.#schedule.whenDue();
      return Promise.resolve();
    }
    if (this.#probing === undefined) {
      this.#schedule.begun();
      const awaited = this.#awaited;
      this.#awaited = undefined;
      this.#probing = this.#probe().finally(() => {
        this.#probing = undefined;
        awaited?.resolve();
        this.#schedule.ended();
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
      const items = await abortable(readOfferedItems(this.#backend, session, abort.signal), abort.signal);
      const { protocolVersion, capabilities: announced } = await abortable(session.open(), abort.signal);
      work?.end();
      return { announced, items, mcpRevision: protocolVersion };
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
  noteOffering({ announced, mcpRevision }: Omit<BackendOffering, 'items'>): void {
    if (!this.asksCallers || this.#stop.signal.aborted) return;
    this.#announced = announced;
    if (mcpRevision !== this.#health.mcpRevision) this.#update({ ...this.#health, mcpRevision });
  }

  /** Probes before the next probe is due: a list changed, or a call failed. Never sooner than the pause after the last one. */
  lookSoon(): void {
    this.#schedule.soon();
  }

  /** Resolves when a probe finds that calls can be sent, or when the backend is no longer watched. */
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
    this.#schedule.stop();
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
      const items = await abortable(readOfferedItems(this.#backend, session, signal, { room }), signal);
      const { protocolVersion, capabilities: announced } = await abortable(session.open(), signal);
      work?.end();
      this.#announced = announced;
      const before = this.#items;
      if (ticket !== undefined) this.circuit?.settle(ticket, 'success');
      this.#succeeded(items, protocolVersion, performance.now() - startedAt);
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
      this.#schedule.pause.hasRead(bytesLeft - room.bytesLeft);
    }
  }

  /** Changes of lists are announced by those who read them here; what was announced and is the same as before is not. */
  #repeated(announcedBy: ReadonlySet<string>, before: OfferedItems): void {
    const { onRepeated } = this.#options;
    if (announcedBy.size === 0 || onRepeated === undefined) return;
    const changed = changedMethods(before, this.#items);
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

  #succeeded(items: OfferedItems, mcpRevision: string, tookMs: number): void {
    const before = this.#health;
    const health = healthAfterSuccess(before, mcpRevision, tookMs);
    if (!areListsEqual(this.#items, items)) {
      this.#items = items;
      this.#schedule.pause.hasChanged();
    }
    this.#update(health);
    this.#log.succeeded(before, health);
  }

  #failed(error: BackendError): void {
    const isPerCaller = this.#options.isPerCaller === true;
    const before = this.#health;
    const isHere = isThere(error, isPerCaller);
    const health = healthAfterFailure(before, error, this.#limits.unhealthyThreshold, isHere);
    // From now on each caller has lists of its own.
    if (isPerCaller && health.status === 'unauthenticated') this.#items = NOTHING_OFFERED;
    this.#update(health);
    this.#log.failed(before, health, isHere);
  }

  #update(health: CheckedHealth): void {
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
      this.#awaited?.resolve();
      this.#awaited = undefined;
      this.#schedule.whenDue();
    } else this.lookSoon();
  };

  #circuitChanged(circuit: CircuitBreaker): void {
    this.#log.circuitChanged(circuit, this.#isCut);
    const { status } = this.#health;
    if (this.#isCut || status !== 'unavailable') this.#options.onChange();
    else this.#update(healthAfterRecovery(this.#health));
  }

  #isWell(): void {
    this.#well?.resolve();
    this.#well = undefined;
  }
}

function asBackendError(backend: string, error: unknown): BackendError {
  if (error instanceof BackendError) return error;
  return new BackendError(backend, 'protocol_error', truncate(error instanceof Error ? error.message : String(error)));
}
