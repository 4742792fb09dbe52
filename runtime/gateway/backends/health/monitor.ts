/**
 * Monitors one backend: its lists and its health. It reads the lists at the start, at every health interval and whenever the backend notifies of
 * a change. Only the monitor writes a backend's health; lists, `/status` and routing read it here.
 */

import type { OperationalPlan } from '#schemas';
import { LinkedAbort } from '#shared/util';
import { BackendError } from '../../../mcp/backend-error.ts';
import type { Logger } from '../../../observe/log.ts';
import type { OwnWork } from '../../../observe/own-work.ts';
import { areListsEqual, listChangedMethods } from '../../offers/lists-equal.ts';
import { announcesChange, NOTHING_OFFERED, type OfferedItems } from '../../offers/offered-items.ts';
import { truncate } from '../../offers/truncate.ts';
import type { BackendIdentity, BackendSession } from '../backend.ts';
import { listRoom, readOfferedItems } from '../read-offered-items.ts';
import { untilAborted } from '../until-aborted.ts';
import {
  type BackendHealth,
  type CheckedHealth,
  isReachable,
  mergeCircuitHealth,
  NOT_CHECKED,
  recordFailure,
  recordRecovery,
  recordSuccess,
} from './backend-health.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { HealthLog } from './health-log.ts';
import { NotificationBackoff } from './notification-backoff.ts';
import { classifyFailure } from './outcome.ts';
import { ProbeSchedule } from './probe-schedule.ts';

/** What a backend offers, as read in one session. */
export interface BackendOffering {
  /** The capabilities in the backend's answer to `initialize`. */
  readonly announced: BackendIdentity['capabilities'];
  readonly items: OfferedItems;
  readonly mcpRevision: string;
}

export interface MonitorOptions {
  readonly backend: string;
  /** The origin of the backend's URL, for the log: paths and queries of URLs may be secrets. Undefined for a program behind a bridge. */
  readonly address?: string | undefined;
  readonly health: OperationalPlan['health'];
  readonly log: Logger;
  /**
   * What the gateway knew about the backend when a former bundle reached it in another way. It remains valid until a probe gives another result.
   */
  readonly earlier?: BackendMonitor | undefined;
  /** The breaker that permits each probe and counts its outcome; callers' sessions and other connections to the backend share it. */
  readonly circuit?: CircuitBreaker | undefined;
  /** Whether each caller has a credential of its own: a refusal of the gateway then proves that the backend is up. */
  readonly isPerCaller?: boolean;
  /** Called when a reading of the backend's lists begins. */
  onReading?(): OwnWork | undefined;
  openSession(): BackendSession;
  /** Ends a session that `openSession` returned; never rejects. */
  endSession(session: BackendSession): Promise<void>;
  /** Called after each probe and after every change of the status. */
  onChange(): void;
  /** Called when the backend notifies of a changed list, or when such a notification may have been lost. */
  onAnnounced?(): void;
  /** Called after a reading that found announced lists unchanged; gets the methods of those notifications. */
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
  /** The methods of the change notifications that have come since the last reading began. */
  #announcedBy = new Set<string>();
  /** Callers that wait for the next probe to begin and end. */
  #awaited: PromiseWithResolvers<void> | undefined;
  #isStarted = false;
  /** Whether the circuit was open or half-open at the last check. */
  #isCut: boolean;
  readonly #firstProbe = Promise.withResolvers<void>();
  /** Set while a caller waits for the backend to be healthy. */
  #well: PromiseWithResolvers<void> | undefined;

  constructor(options: MonitorOptions) {
    this.#backend = options.backend;
    this.#options = options;
    this.#limits = options.health;
    this.#log = new HealthLog(options.backend, options.address, options.log);
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

  /** The capabilities in the backend's answer to `initialize`. */
  get announced(): BackendIdentity['capabilities'] {
    return this.#announced;
  }

  /** The backend's lists when they are the same for all callers; the same object while they are unchanged. */
  get items(): OfferedItems {
    return this.#items;
  }

  /** The health by the probes; unavailable while the circuit is not closed. */
  get health(): BackendHealth {
    return mergeCircuitHealth(this.circuit, this.#health);
  }

  get circuit(): CircuitBreaker | undefined {
    return this.#options.circuit;
  }

  /** Whether the backend is unavailable, and one request may test whether it is available again. */
  get mayTry(): boolean {
    return this.circuit?.state === 'half-open' && this.circuit.lets;
  }

  /** Whether the gateway may send calls. */
  get available(): boolean {
    return this.answersUs || this.requiresCallerAuth;
  }

  /** Whether the backend answers the gateway, and the gateway knows its lists. */
  get answersUs(): boolean {
    const { status } = this.health;
    return status === 'ready' || status === 'degraded';
  }

  /** Whether the backend answers callers but not the gateway, so that the gateway has to read its lists on behalf of a caller. */
  get requiresCallerAuth(): boolean {
    return this.#options.isPerCaller === true && this.health.status === 'unauthenticated';
  }

  /** Whether the backend has answered since the start, so that the gateway does not need the tool lock. */
  get isKnown(): boolean {
    return this.available || this.#health.mcpRevision !== null;
  }

  get limits(): OperationalPlan['health'] {
    return this.#limits;
  }

  /** Adopts the current knowledge of an earlier connection to the same backend, unless this monitor has an answer already. */
  inherit(previous: BackendMonitor | undefined): void {
    if (previous === undefined || this.#health.status !== 'unknown') return;
    this.#announced = previous.announced;
    this.#items = previous.items;
    this.#health = previous.#health;
  }

  /** Starts the first probe, unless it has begun. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#firstProbe.resolve(this.check());
  }

  /** Resolves when the first probe has ended, even with a failure. */
  get settled(): Promise<void> {
    return this.#firstProbe.promise;
  }

  /** Sets other intervals and limits from the next probe on. */
  configure({ health, circuitBreaker }: Pick<OperationalPlan, 'health' | 'circuitBreaker'>): void {
    this.#limits = health;
    if (circuitBreaker !== undefined) this.circuit?.configure(circuitBreaker);
    this.#schedule.reconfigured();
  }

  /** Probes now, unless a probe is running; resolves when the probe has ended. */
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
   * Reads the lists in a caller's session, and ends the session. It changes nothing in the monitor.
   * @throws BackendError
   */
  async readIn(session: BackendSession): Promise<BackendOffering> {
    const { timeoutMs } = this.#limits;
    const limit = AbortSignal.timeout(timeoutMs);
    const abort = new LinkedAbort([limit, this.#stop.signal]);
    const work = this.#options.onReading?.();
    try {
      const items = await untilAborted(readOfferedItems(this.#backend, session, abort.signal), abort.signal);
      const { protocolVersion, capabilities: announced } = await untilAborted(session.open(), abort.signal);
      work?.end();
      return { announced, items, mcpRevision: protocolVersion };
    } catch (error) {
      const failure = limit.aborted ? this.#createTooSlow(timeoutMs) : asBackendError(this.#backend, error);
      work?.end(failure.reason);
      throw failure;
    } finally {
      abort[Symbol.dispose]();
      void this.#options.endSession(session);
    }
  }

  /**
   * Stores the lists that a caller got from the backend, while the backend answers only callers. The status remains, because it is about the
   * gateway's own requests.
   */
  noteOffering({ announced, mcpRevision }: Omit<BackendOffering, 'items'>): void {
    if (!this.requiresCallerAuth || this.#stop.signal.aborted) return;
    this.#announced = announced;
    if (mcpRevision !== this.#health.mcpRevision) this.#update({ ...this.#health, mcpRevision });
  }

  /** Probes before the next probe is due because a list changed or a call failed, but not before the pause after the last one has passed. */
  probeSoon(): void {
    this.#schedule.soon();
  }

  /** Resolves when a probe has found the backend available, or when the monitor stops. */
  well(): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    this.#well ??= Promise.withResolvers();
    return this.#well.promise;
  }

  /**
   * Does the same as `probeSoon`, and resolves when a probe that began after this call has ended, even with a failure; all waiting callers share
   * one probe.
   */
  lookAgain(): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    this.probeSoon();
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
      const items = await untilAborted(readOfferedItems(this.#backend, session, signal, { room }), signal);
      const { protocolVersion, capabilities: announced } = await untilAborted(session.open(), signal);
      work?.end();
      this.#announced = announced;
      const before = this.#items;
      if (ticket !== undefined) this.circuit?.settle(ticket, 'success');
      this.#handleSuccess(items, protocolVersion, performance.now() - startedAt);
      this.#handleRepeat(announcedBy, before);
    } catch (error) {
      const failure = limit.aborted ? this.#createTooSlow(timeoutMs) : asBackendError(this.#backend, error);
      work?.end(failure.reason);
      const isStopped = this.#stop.signal.aborted;
      if (ticket !== undefined) {
        this.circuit?.settle(ticket, isStopped ? 'neither' : classifyFailure(failure), failure.message);
      }
      if (isStopped) return;
      for (const method of announcedBy) this.#announcedBy.add(method);
      // A session that failed a probe may be broken: the next probe starts with `initialize`.
      void this.#endSession();
      this.#handleFailure(failure);
    } finally {
      abort[Symbol.dispose]();
      this.#schedule.pause.hasRead(bytesLeft - room.bytesLeft);
    }
  }

  /**
   * Reports lists that the backend announced as changed although they are unchanged. `onChange` leads to notifications of clients only for lists that
   * did change.
   */
  #handleRepeat(announcedBy: ReadonlySet<string>, before: OfferedItems): void {
    const { onRepeated } = this.#options;
    if (announcedBy.size === 0 || onRepeated === undefined) return;
    const changed = listChangedMethods(before, this.#items);
    const repeated = [...announcedBy].filter(method => !changed.has(method) && this.#repeats.mayNotify(method));
    if (repeated.length > 0) onRepeated(repeated);
  }

  #createTooSlow(limitMs: number): BackendError {
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
    this.probeSoon();
  }

  async #endSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (session !== undefined) await this.#options.endSession(session);
  }

  #handleSuccess(items: OfferedItems, mcpRevision: string, tookMs: number): void {
    const before = this.#health;
    const health = recordSuccess(before, mcpRevision, tookMs);
    if (!areListsEqual(this.#items, items)) {
      this.#items = items;
      this.#schedule.pause.hasChanged();
    }
    this.#update(health);
    this.#log.succeeded(before, health);
  }

  #handleFailure(error: BackendError): void {
    const isPerCaller = this.#options.isPerCaller === true;
    const before = this.#health;
    const isStillReachable = isReachable(error, isPerCaller);
    const health = recordFailure(before, error, this.#limits.unhealthyThreshold, isStillReachable);
    // From now on each caller has lists of its own.
    if (isPerCaller && health.status === 'unauthenticated') this.#items = NOTHING_OFFERED;
    this.#update(health);
    this.#log.failed(before, health, isStillReachable);
  }

  #update(health: CheckedHealth): void {
    this.#health = { ...health, lastCheck: new Date().toISOString() };
    this.#options.onChange();
    if (health.consecutiveFailures === 0) this.#isWell();
  }

  /** Called when the circuit has opened or closed, or when its trial request was cancelled. */
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
    } else this.probeSoon();
  };

  #circuitChanged(circuit: CircuitBreaker): void {
    this.#log.circuitChanged(circuit, this.#isCut);
    const { status } = this.#health;
    if (this.#isCut || status !== 'unavailable') this.#options.onChange();
    else this.#update(recordRecovery(this.#health));
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
