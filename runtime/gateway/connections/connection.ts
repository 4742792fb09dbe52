import {
  type BackendPlan,
  type CircuitBreakerPlan,
  computeDigest,
  formatCanonicalJson,
  type OperationalPlan,
  type PrivateDenial,
} from '#schemas';
import { type ParamHeader, readParamHeaders, validateTool } from '#shared/plan';
import type { AuthorityFile } from '../../http/authority-file.ts';
import { createHttpClient, type HttpClient } from '../../http/client.ts';
import { followAuthorities, withAdditionalCa } from '../../http/tls-trust.ts';
import { type ClientTraits, OURSELVES } from '../../mcp/client-traits.ts';
import { STATELESS_REVISION } from '../../mcp/protocol-revisions.ts';
import type { Logger } from '../../observe/log.ts';
import type { OwnWork } from '../../observe/own-work.ts';
import type { BackendIdentity, BackendSession, NamedBackendSession } from '../backends/backend.ts';
import type { BackendCredentials } from '../backends/backend-credentials.ts';
import type { CapabilitySet } from '../backends/capability-set.ts';
import type { SentCredential } from '../backends/context.ts';
import { BackendEra } from '../backends/era/era.ts';
import { type BackendSessionOptions, createBackendSession } from '../backends/era/open-session.ts';
import { Bulkhead } from '../backends/health/bulkhead.ts';
import { CircuitBreaker } from '../backends/health/circuit-breaker.ts';
import { GuardedSession } from '../backends/health/guarded-session.ts';
import { BackendMonitor } from '../backends/health/monitor.ts';
import type { KnownTools } from '../backends/known-tools.ts';
import { needsCredentials } from '../backends/open-credentials.ts';
import { GATEWAY_SENDER, getListKey, type Sender } from '../backends/sender.ts';
import { StreamResponses } from '../backends/stream-responses.ts';
import type { OfferedItems } from '../offers/offered-items.ts';
import { FairSemaphore } from '../scheduling/fair-semaphore.ts';
import { CallerDiscovery } from './caller-discovery.ts';
import type { CallerListChange } from './caller-lists.ts';
import { CallerSessions, type SessionUse } from './caller-sessions.ts';
import { CapabilitySetLists } from './capability-set-lists.ts';
import { SessionPool } from './session-pool.ts';

export interface ConnectionOptions {
  readonly operational: Pick<OperationalPlan, 'health' | 'circuitBreaker'>;
  /** The gateway's version, for the backend's log. */
  readonly version: string;
  readonly log: Logger;
  /** Names of the client's headers that the gateway forwards. */
  readonly passed: readonly string[];
  /** Denies private addresses, even if the plan permits them. */
  readonly denial?: PrivateDenial | undefined;
  /** The credentials of a backend that needs any; the connection closes them. */
  readonly credentials?: BackendCredentials | undefined;
  /** The connection of a former bundle to the same backend. */
  readonly earlier?: BackendConnection | undefined;
  onChange(): void;
  /** Called when the backend has announced changes of lists that are unchanged; gets the methods of its notifications. */
  onRepeated(methods: readonly string[]): void;
  /** Called when a reading of the backend's lists begins. */
  onReading?(): OwnWork | undefined;
  /** Called after the lists that the backend gives to a caller (`getListKey`) changed. */
  onCallerListChanged(caller: string, listChange: CallerListChange): void;
  /** Called after the lists for clients with a capability set have changed. */
  onOffered(capabilitySet: CapabilitySet): void;
}

/** What a session needs to know of its client besides the sender. */
export type SessionWishes = Pick<BackendSessionOptions, 'logLevel' | 'prefersSessions' | 'shared'>;

/** The number of concurrent `resources/subscribe` requests of all streams of stateless clients: half the number of turns for calls. */
const MAX_WATCHING = 32;

/**
 * The gateway's resources for one backend: the connection pools, the monitor, and the sessions. It outlives a bundle when the next one reaches
 * the backend in the same way.
 */
export class BackendConnection {
  readonly name: string;
  /** A key that is equal for plans that reach the same backend in the same way, even if they configure its tools differently. */
  readonly identity: string;
  readonly monitor: BackendMonitor;
  readonly bulkhead: Bulkhead;
  /** Sessions for clients without a session, at a backend that has sessions. */
  readonly leases: SessionPool;
  /** Limits the subscriptions that streams of stateless clients begin with. */
  readonly watching: FairSemaphore = new FairSemaphore(MAX_WATCHING);
  /** The lists for clients with certain capabilities, while the backend answers the gateway itself. */
  readonly capabilitySets: CapabilitySetLists;
  /** Reads lists for single callers; undefined for a backend at which callers have no credentials of their own. */
  readonly discovery: CallerDiscovery | undefined;
  readonly #url: string;
  readonly #credentials: BackendCredentials | undefined;
  readonly #era: BackendEra = new BackendEra();
  readonly #streamAnswers: StreamResponses = new StreamResponses();
  readonly #clients: readonly HttpClient[];
  readonly #authorities: AuthorityFile | undefined;
  readonly #openSession: (client: ClientTraits, sender: () => Sender, more?: SessionWishes) => BackendSession;
  readonly #sessions = new Set<BackendSession>();
  /** Sessions that are ending. */
  readonly #ending = new Set<Promise<void>>();
  /** One session for all stateless clients of a stateless backend, when nothing needs to be separated by caller. */
  #shared: SessionUse | undefined;
  readonly #callerSessions: CallerSessions | undefined;
  /** The lists of the backend's last answer to the gateway. */
  #latest: OfferedItems;
  #onEmpty: () => void = () => {};
  #holders = 0;
  #onReleased: () => void = () => {};
  /** Resolves when `close` must no longer wait. */
  readonly #broken: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(plan: BackendPlan, options: ConnectionOptions) {
    const { operational, version, log, passed, denial, credentials, earlier: previous } = options;
    const { onChange, onRepeated, onReading, onCallerListChanged, onOffered } = options;
    const { health, circuitBreaker } = operational;
    const { name, addresses } = plan;
    this.name = name;
    this.identity = formatConnectionIdentity(plan, passed, operational);
    this.#url = plan.url;
    const circuit = circuitBreaker && createCircuit(plan, circuitBreaker, previous);
    if (credentials === undefined && needsCredentials(plan, passed)) {
      throw new Error(`backend "${plan.name}" must not be reached without its credentials`);
    }
    this.#credentials = credentials;
    const trust = withAdditionalCa(plan);
    this.#authorities = followAuthorities(trust, log);
    // The denial of private addresses concerns servers that specs name, and not a bridge, which the gateway itself runs.
    const httpDenial = plan.stdio === undefined ? denial : undefined;
    const reach = { addresses, denial: httpDenial, trust, authorities: this.#authorities };
    const calls = createHttpClient(reach);
    // Probes have a pool of their own: a backend whose connections are all in use by calls must not look unavailable.
    const probes = createHttpClient(reach);
    this.#clients = [calls, probes];
    this.bulkhead = new Bulkhead(calls);
    const shared = { log, version, era: this.#era, streamAnswers: this.#streamAnswers };
    // When the era changes, the backend is probed: until then its lists and its status remain as they are.
    this.#era.listeners.add(() => this.monitor.probeSoon());
    const tools: KnownTools = {
      findHeaders: (tool, sender) => findParamHeaders(this.#getOffered(sender as Sender | undefined), tool),
      readAgain: sender => this.#readAgain(sender as Sender | undefined),
    };
    this.#openSession = (caller, sender, more) =>
      this.#guardSession(
        createBackendSession(plan, credentials?.createClient(calls, sender) ?? calls, {
          ...shared,
          ...more,
          caller,
          tools,
          credentialOwner: credentials?.isPerCaller === true ? 'caller' : 'gateway',
        }),
      );
    this.leases = new SessionPool({
      openSession: (caller, sender) => this.openSession(caller, sender),
      endSession: session => this.endSession(session),
    });
    const own: SentCredential['owner'] = credentials?.hasOwn === true ? 'gateway' : 'nobody';
    const openOwn = (more: Pick<BackendSessionOptions, 'caller' | 'prefersSessions'>) =>
      createBackendSession(plan, credentials?.ownClient(probes) ?? probes, {
        ...shared,
        ...more,
        credentialOwner: own,
      });
    this.monitor = new BackendMonitor({
      backend: name,
      address: plan.stdio === undefined ? URL.parse(plan.url)?.origin : undefined,
      health,
      log,
      earlier: previous?.monitor,
      circuit,
      isPerCaller: credentials?.isPerCaller === true,
      // The monitor consults the breaker itself, once for all requests of a probe.
      openSession: () => this.#track(openOwn({})),
      endSession: session => this.endSession(session),
      onChange: () => {
        // After a failed probe another server may have taken the address, so the era is detected again.
        if (this.monitor.health.consecutiveFailures > 0) this.#era.forget();
        if (this.monitor.answersUs) this.discovery?.clear();
        if (this.monitor.items !== this.#latest) this.capabilitySets.changed();
        this.#latest = this.monitor.items;
        onChange();
      },
      onAnnounced: () => this.capabilitySets.changed(),
      onRepeated,
      ...(onReading && { onReading }),
    });
    this.#latest = this.monitor.items;
    this.capabilitySets = new CapabilitySetLists({
      monitor: this.monitor,
      log,
      openSession: ({ client }) => this.#track(this.#guardSession(openOwn({ caller: client, prefersSessions: true }))),
      onChange: onOffered,
      earlier: previous?.capabilitySets,
    });
    if (credentials?.isPerCaller === true) {
      const openSession = (sender: Sender) => {
        const { capabilitySet } = sender;
        return this.openSession(capabilitySet?.client ?? OURSELVES, () => sender, {
          prefersSessions: capabilitySet !== undefined,
        });
      };
      this.discovery = new CallerDiscovery({ monitor: this.monitor, log, openSession, onCallerListChanged });
    }
    if (credentials?.keepsApart === true) {
      this.#callerSessions = new CallerSessions({
        openSession: sender => this.openSession(OURSELVES, sender),
        endSession: session => this.endSession(session),
      });
    }
  }

  /**
   * Opens a session on behalf of a client; requests of the backend go to that client.
   * @param sender returns the current caller: `keyOf` must be equal for all callers of the session
   */
  openSession(client: ClientTraits, sender: () => Sender, more?: SessionWishes): BackendSession {
    return this.#track(this.#openSession(client, sender, more));
  }

  /** How often the backend has changed its revision. */
  get eraChanges(): number {
    return this.#era.changeCount;
  }

  leadsTo(url: string): boolean {
    return this.#url === url;
  }

  /**
   * Whether clients with sessions have a session with the backend: the backend supports nothing else, or also opens sessions although it is
   * stateless.
   */
  get opensSessions(): boolean {
    return !this.isStateless || this.#era.inSessions !== undefined;
  }

  /** The capabilities of the backend's answers to clients with sessions. */
  get announcedInSessions(): BackendIdentity['capabilities'] {
    return this.#era.inSessions?.capabilities ?? this.monitor.announced;
  }

  /**
   * Whether the backend supports the stateless revision, as far as the gateway knows: a session notices a change of the revision before a probe does.
   */
  get isStateless(): boolean {
    const { latest } = this.#era;
    return latest === undefined ? this.monitor.health.mcpRevision === STATELESS_REVISION : latest === 'stateless';
  }

  /** Returns a session with a stateless backend for one call of a stateless client. */
  takeStateless(sender: Sender): SessionUse {
    if (this.#callerSessions !== undefined) return this.#callerSessions.take(sender);
    this.#shared ??= { session: this.openSession(OURSELVES, () => GATEWAY_SENDER), end() {} };
    return this.#shared;
  }

  /** Called when the backend has notified a caller of a change in its lists. */
  listChanged(sender: Sender): void {
    if (this.discovery !== undefined && this.monitor.requiresCallerAuth) this.discovery.changed(sender);
    else {
      this.capabilitySets.changed();
      this.monitor.probeSoon();
    }
  }

  /** Whether the backend lists a resource for the gateway, or for clients with certain capabilities. */
  listsResource(uri: string): boolean {
    const lists = [this.monitor.items, ...this.capabilitySets.lists];
    return lists.some(({ resources }) => resources.some(resource => resource.uri === uri));
  }

  #getOffered(sender: Sender | undefined): OfferedItems {
    const list = sender === undefined ? undefined : this.discovery?.findList(getListKey(sender));
    const offered = sender?.capabilitySet === undefined ? undefined : this.capabilitySets.get(sender.capabilitySet);
    return list?.offered ?? offered ?? this.monitor.items;
  }

  #readAgain(sender: Sender | undefined): Promise<void> {
    if (this.discovery === undefined || sender === undefined || !this.monitor.requiresCallerAuth)
      return this.monitor.lookAgain();
    return this.discovery.discoverAgain(sender);
  }

  /** Ends a session that `openSession` returned. Never rejects. */
  async endSession(session: BackendSession, isLeft = false): Promise<void> {
    const ending = session.close(isLeft);
    this.#ending.add(ending);
    await ending;
    this.#ending.delete(ending);
    this.#sessions.delete(session);
    if (this.#sessions.size === 0) this.#onEmpty();
  }

  /** Resolves when all ending sessions have ended: other replicas may still wait for answers in them. */
  async ended(): Promise<void> {
    await Promise.all(this.#ending);
  }

  /**
   * Why the gateway does not use the current content of the backend's file of certificate authorities; null when it does, or when there is no
   * file.
   */
  get staleAuthorities(): string | null {
    return this.#authorities?.stale ?? null;
  }

  /**
   * Prevents the connection from closing while a workflow may call this backend again. The workflow must call the returned function once at its end.
   */
  hold(): () => void {
    this.#holders += 1;
    return () => {
      this.#holders -= 1;
      if (this.#holders === 0) this.#onReleased();
    };
  }

  /**
   * Waits for workflows and running requests, each of which has its own limits, then lets the sessions end within `drainMs`, ends the remaining
   * ones, and closes every connection.
   */
  async close(drainMs: number): Promise<void> {
    this.#authorities?.close();
    await this.monitor.close();
    this.leases.close();
    this.#callerSessions?.close();
    if (drainMs > 0) await Promise.race([this.#waitUntilDrained(drainMs), this.#broken.promise]);
    await Promise.all([...this.#sessions].map(session => session.close()));
    await Promise.all([...this.#clients.map(client => client.close()), this.#credentials?.close()]);
  }

  /** Stops waiting: `close` ends the remaining requests at once. */
  break(): void {
    this.#broken.resolve();
  }

  async #waitUntilDrained(drainMs: number): Promise<void> {
    if (this.#holders > 0)
      await new Promise<void>(resolve => {
        this.#onReleased = resolve;
      });
    await this.bulkhead.idle();
    if (this.#sessions.size > 0) await this.#waitUntilEmpty(drainMs);
  }

  #waitUntilEmpty(limitMs: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, limitMs).unref();
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #guardSession(session: NamedBackendSession): BackendSession {
    return new GuardedSession(session, { bulkhead: this.bulkhead, circuit: this.monitor.circuit });
  }

  #track(session: BackendSession): BackendSession {
    this.#sessions.add(session);
    return session;
  }
}

function findParamHeaders({ tools }: OfferedItems, name: string): readonly ParamHeader[] | undefined {
  const tool = tools.find(item => item.name === name);
  if (tool === undefined || validateTool(tool) !== undefined) return undefined;
  const paramHeaders = readParamHeaders(tool.inputSchema);
  return paramHeaders.ok ? paramHeaders.headers : undefined;
}

/**
 * The circuit breaker of a connection: one for all connections to the same address, since the result of one connection applies to all. Another
 * address begins with a closed circuit.
 */
function createCircuit(
  { url }: BackendPlan,
  plan: CircuitBreakerPlan,
  previous: BackendConnection | undefined,
): CircuitBreaker {
  return (previous?.leadsTo(url) === true ? previous.monitor.circuit : undefined) ?? new CircuitBreaker(plan);
}

/**
 * A key of everything that decides how a backend is reached.
 * @param passed names of the client's headers that the gateway forwards
 * @param operational its breaker guards all sessions of a connection, or none
 */
export function formatConnectionIdentity(
  plan: BackendPlan,
  passed: readonly string[],
  { circuitBreaker }: Pick<OperationalPlan, 'circuitBreaker'>,
): string {
  const { tools: _tools, metadata: _metadata, ...reach } = plan;
  return computeDigest(formatCanonicalJson({ ...reach, passed, isGuarded: circuitBreaker !== undefined }));
}
