/**
 * The gateway: it serves one bundle at a time, and swaps bundles in one step. It owns the connections to the backends and the routing table
 * built from their lists, and notifies every client session of changed lists.
 */
import { setImmediate } from 'node:timers/promises';
import type { BackendPlan, EmbeddingPlan, GatewayBundle, PrivateDenial } from '#schemas';
import type { Authorizer, CallerAccess } from '../auth/authorization/authorizer.ts';
import type { Identity } from '../auth/identity.ts';
import type { ClientSession } from '../mcp/handler.ts';
import type { Logger } from '../observe/log.ts';
import type { WorkTracing } from '../observe/own-work.ts';
import { SealKeys } from '../shared-sessions/seal-keys.ts';
import type { BackendCredentials } from './backends/backend-credentials.ts';
import type { CapabilitySet } from './backends/capability-set.ts';
import { openCredentials } from './backends/open-credentials.ts';
import type { Sender } from './backends/sender.ts';
import { waitAtMost } from './backends/wait-at-most.ts';
import { type ListChange, ListChangedNotifications } from './callers/list-changed.ts';
import { RoutingTables } from './callers/routing-tables.ts';
import type { CallerListChange } from './connections/caller-lists.ts';
import { BackendConnection, formatConnectionIdentity } from './connections/connection.ts';
import type { TokenBuckets } from './limits/buckets.ts';
import { RateLimits } from './limits/rate-limits.ts';
import type { EmbeddingSource } from './optimizer/embeddings/embedding-source.ts';
import { loadOptimizer } from './optimizer/load-optimizer.ts';
import type { Optimizer } from './optimizer/optimizer.ts';
import { OptimizerCounts } from './optimizer/optimizer-counts.ts';
import type { Denials } from './routing/access.ts';
import { OfferDiscovery } from './routing/offer-discovery.ts';
import type { ItemTable, RoutingTable } from './routing/table.ts';
import { WithheldLog } from './routing/withheld-log.ts';
import { CooperativeScheduler } from './scheduling/cooperative-scheduler.ts';
import { createServedBundle, type ServedBundle } from './served-bundle.ts';
import type { GatewaySession } from './sessions/client-session.ts';
import type { SessionsGateway } from './sessions/sessions-gateway.ts';
import { moveSubscriptions } from './sessions/subscriptions.ts';
import type { StatelessGateway, SubscriptionListener } from './stateless/stateless-gateway.ts';
import { Workflows } from './workflow/workflows.ts';

/** How long a swap waits for backends that are new in a bundle, so that their tools are listed from the swap on; milliseconds. */
const SWAP_WAIT_MS = 300;

/** How long the first list waits by default; milliseconds. */
const FIRST_LIST_WAIT_MS = 3_000;

const NOTHING_ELSE: ListChange = { isVisibleChanged: false, isListReplaced: false };

/**
 * How long sessions may take to end on a connection that a new bundle no longer needs, after its last request; milliseconds. Longer than the gateway
 * waits for an answer of other replicas that may use these sessions.
 */
const RETIRE_MS = 10_000;

export interface GatewayOptions {
  readonly version: string;
  readonly log: Logger;
  /** Denies private addresses for all backends and their token endpoints. Default: the bundle decides. */
  readonly denial?: PrivateDenial | undefined;
  /** Opens token buckets that need no Redis. Default: in the memory of this process. */
  readonly buckets?: (() => TokenBuckets) | undefined;
  /** Folder for data that outlives restarts. Default: nothing is stored. */
  readonly stateFolder?: string | undefined;
  /** The service that embeds the texts of tools. Default: that of the plan. */
  readonly embeddingSource?: ((plan: EmbeddingPlan) => EmbeddingSource) | undefined;
  /** How long the first list waits for backends that have not answered yet; milliseconds. Default: 3,000. */
  readonly firstListWaitMs?: number | undefined;
}

/** A bundle that is ready to be served. */
export interface PreparedBundle {
  /** Serves the bundle from now on. */
  use(): void;
  /** Discards the bundle. */
  discard(): void;
}

type CredentialsByBackend = ReadonlyMap<string, BackendCredentials>;

export class Gateway implements SessionsGateway, StatelessGateway {
  readonly version: string;
  readonly log: Logger;
  readonly #denial: PrivateDenial | undefined;
  readonly #stateFolder: string | undefined;
  readonly #embeddingSource: GatewayOptions['embeddingSource'];
  readonly #firstListWaitMs: number;
  readonly sessions: Set<ClientSession<GatewaySession>> = new Set();
  /** The open streams of stateless clients' subscriptions. */
  readonly listeners: Set<SubscriptionListener> = new Set();
  /** Time slices for work that one client can request a thousand times at once. */
  readonly scheduler: CooperativeScheduler;
  /** Limits on the rate of calls; there are none before a bundle with limits was prepared and used. */
  readonly limits: RateLimits;
  readonly workflows: Workflows;
  readonly discovery: OfferDiscovery;
  readonly optimizerCounts: OptimizerCounts = new OptimizerCounts();
  /** The seals of data that clients return. Replaced when replicas share them. */
  seals: SealKeys = new SealKeys();
  /** Numbers of calls that policies have denied. */
  readonly denials: Denials = { call_tool: 0, get_prompt: 0, read_resource: 0 };
  /** Traces the gateway's own work; undefined while nothing is traced. */
  tracing: WorkTracing | undefined;
  #served: ServedBundle;
  readonly #tables: RoutingTables;
  readonly #listChanged: ListChangedNotifications;
  readonly #withheldLog: WithheldLog;
  readonly #settled: Promise<void>;
  #isSettled = false;
  /** Resolves when the current bundle is replaced. */
  #isReplaced = Promise.withResolvers<void>();
  /** The closing of connections. */
  readonly #closing = new Set<Promise<void>>();
  /** Connections that close when their running requests have ended. */
  readonly #retired = new Set<BackendConnection>();
  #isClosed = false;

  /**
   * Opens the credentials and other resources that a bundle's backends need.
   * @param authorizer decides by the policies of that bundle
   * @throws CredentialPlanError for a backend whose credential is impossible
   */
  static async open(bundle: GatewayBundle, authorizer: Authorizer, options: GatewayOptions): Promise<Gateway> {
    const credentials = await openCredentials(bundle.backends, bundle.passthroughHeaders, options.log, options.denial);
    const scheduler = new CooperativeScheduler();
    const { log, denial, stateFolder, embeddingSource } = options;
    const optimizer = await loadOptimizer(bundle, { scheduler, log, denial, stateFolder, embeddingSource });
    return new Gateway(bundle, authorizer, options, credentials, { scheduler, optimizer });
  }

  /**
   * @param credentials the credentials of backends that need any; closed with their connections
   * @param search the optimizer of a bundle with one; it shares the time slices of this scheduler
   */
  constructor(
    bundle: GatewayBundle,
    authorizer: Authorizer,
    options: GatewayOptions,
    credentials: CredentialsByBackend = new Map(),
    search:
      | { readonly scheduler: CooperativeScheduler; readonly optimizer: Optimizer | undefined }
      | undefined = undefined,
  ) {
    this.scheduler = search?.scheduler ?? new CooperativeScheduler();
    this.version = options.version;
    this.log = options.log;
    this.limits = new RateLimits(options.log, options.buckets);
    this.workflows = new Workflows(options.log);
    this.#denial = options.denial;
    this.#stateFolder = options.stateFolder;
    this.#embeddingSource = options.embeddingSource;
    this.#firstListWaitMs = options.firstListWaitMs ?? FIRST_LIST_WAIT_MS;
    this.#withheldLog = new WithheldLog(options.log);
    search?.optimizer?.use();
    this.#served = createServedBundle(
      bundle,
      authorizer,
      this.#connect(bundle, new Map(), credentials),
      search?.optimizer,
    );
    const served = () => this.#served;
    this.#tables = new RoutingTables({
      served,
      tracing: () => this.tracing,
      log: options.log,
      onRebuilt: table => this.#show(table),
    });
    this.#listChanged = new ListChangedNotifications({
      sessions: this.sessions,
      listeners: this.listeners,
      hasOptimizer: () => this.optimizer !== undefined,
      getLists: capabilitySet => this.#tables.getOfCapabilitySet(capabilitySet).table.lists,
    });
    this.#settled = this.#waitForFirstProbes().then(() => {
      this.#isSettled = true;
      if (this.#tables.isStale) this.#tables.rebuild();
      this.#index();
    });
    this.discovery = new OfferDiscovery({
      served,
      settled: this.#settled,
      firstListWaitMs: this.#firstListWaitMs,
    });
  }

  /** Starts the probes: one at each turn of the event loop, so that requests of clients are served in between. */
  async start(): Promise<void> {
    this.#traceQueries(this.connections.size, this.#settled);
    for (const { monitor } of this.#served.connections.values()) {
      await setImmediate();
      monitor.start();
    }
  }

  get bundle(): GatewayBundle {
    return this.#served.bundle;
  }

  get authorizer(): Authorizer {
    return this.#served.authorizer;
  }

  /** What a caller may do by the current policies. */
  getAccess(caller: Identity): CallerAccess {
    return this.#served.authorizer.getAccess(caller);
  }

  /** The optimizer of the bundle; undefined when clients read the list of tools. */
  get optimizer(): Optimizer | undefined {
    return this.#served.optimizer;
  }

  /** The table that is the same for all callers. */
  get table(): ItemTable {
    return this.#tables.shared;
  }

  /** The table of a caller: its lists, and the destinations of its requests. */
  getTable(sender: Sender): RoutingTable {
    return this.#tables.get(sender);
  }

  /** The items of all callers together, for operators: it serves no request. */
  overview(): ItemTable {
    return this.#tables.overview();
  }

  get connections(): ReadonlyMap<string, BackendConnection> {
    return this.#served.connections;
  }

  /** Resolves when every backend has ended its first probe, even with a failure, or has exceeded the time limit of a start. */
  settled(): Promise<void> {
    return this.#settled;
  }

  /** Called when a client with this capability set has connected: reads missing or old lists of such clients in the background. */
  refreshCapabilitySet(capabilitySet: CapabilitySet): void {
    if (this.#isSettled) this.#listChanged.capabilitySetJoined(capabilitySet);
    for (const { capabilitySets } of this.connections.values()) capabilitySets.refresh(capabilitySet);
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /**
   * Prepares everything that serving another bundle needs. Client sessions stay; connections that the new bundle uses in the same way stay, the
   * others close after their last request.
   * @param authorizer decides by the policies of that bundle; the former object when the policies are the same
   * @param onSwap called at the moment of the swap, and only when the swap is certain
   * @returns an object that must be used or discarded before the next bundle is prepared
   * @throws CredentialPlanError for a backend whose credential is impossible
   */
  async prepare(bundle: GatewayBundle, authorizer: Authorizer, onSwap: () => void = () => {}): Promise<PreparedBundle> {
    const before = this.#served.connections;
    const { passthroughHeaders, operational } = bundle;
    const isNew = (plan: BackendPlan) =>
      before.get(plan.name)?.identity !== formatConnectionIdentity(plan, passthroughHeaders, operational);
    const credentials = await openCredentials(
      bundle.backends.filter(isNew),
      passthroughHeaders,
      this.log,
      this.#denial,
    );
    const search = {
      scheduler: this.scheduler,
      log: this.log,
      denial: this.#denial,
      stateFolder: this.#stateFolder,
      embeddingSource: this.#embeddingSource,
    };
    const optimizer = await loadOptimizer(bundle, search, this.optimizer);
    const next = createServedBundle(bundle, authorizer, this.#connect(bundle, before, credentials), optimizer);
    const added = [...next.connections.values()].filter(connection => before.get(connection.name) !== connection);
    for (const { monitor } of added) monitor.start();
    const settled = waitUntilSettled(added, SWAP_WAIT_MS);
    if (added.length > 0) this.#traceQueries(added.length, settled);
    await settled;
    return {
      use: () => this.#use(next, added, onSwap),
      discard: () => {
        this.#retire(added, 0);
        this.#release(optimizer, this.optimizer);
      },
    };
  }

  #use(next: ServedBundle, added: readonly BackendConnection[], onSwap: () => void): void {
    const before = this.#served.connections;
    const after = [...next.connections.values()];
    // While the new connections were probed, the old ones may have received lists that the new ones still wait for.
    for (const { name, monitor } of added) monitor.inherit(before.get(name)?.monitor);
    const table = this.#isClosed ? undefined : this.#tables.build(next);
    onSwap();
    if (table === undefined) {
      this.#retire(added, 0);
      this.#release(next.optimizer, undefined);
      return;
    }
    const previous = this.optimizer;
    this.#release(previous, next.optimizer);
    next.optimizer?.use();
    const isListReplaced = (next.optimizer === undefined) !== (previous === undefined);
    const isVisibleChanged = isListReplaced || next.authorizer !== this.#served.authorizer;
    this.#served = next;
    this.#isReplaced.resolve();
    this.#isReplaced = Promise.withResolvers();
    for (const { monitor } of after) monitor.configure(next.bundle.operational);
    this.#show(table, { isVisibleChanged, isListReplaced });
    const dropped = [...before.values()].filter(connection => !after.includes(connection));
    for (const { payload } of this.sessions) {
      payload.retire(dropped);
      moveSubscriptions(this, payload).catch((error: unknown) => {
        this.log.error({ err: error }, 'the subscriptions of a session could not be moved');
      });
    }
    for (const listener of this.listeners) listener.swapped();
    this.#retire(dropped, RETIRE_MS);
  }

  /** Waits until sessions with backends have ended that other replicas still need, for at most `limitMs` milliseconds. */
  async waitForSessions(limitMs: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limitMs);
    await Promise.race([Promise.all([...this.connections.values()].map(connection => connection.ended())), late]);
    clearTimeout(timer);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.workflows.close();
    this.limits.close();
    this.#retire([...this.#served.connections.values()], 0);
    this.#release(this.optimizer, undefined);
    for (const connection of this.#retired) connection.break();
    await Promise.all(this.#closing);
  }

  /** A bundle that arrives during the start has connections of its own, and the connections of the replaced bundle no longer report. */
  async #waitForFirstProbes(): Promise<void> {
    const deadline = performance.now() + this.#firstListWaitMs;
    for (let probed: ServedBundle | undefined; probed !== this.#served && performance.now() < deadline; ) {
      probed = this.#served;
      const all = waitUntilSettled([...probed.connections.values()], deadline - performance.now());
      await Promise.race([all, this.#isReplaced.promise]);
    }
  }

  #traceQueries(backends: number, ended: Promise<void>): void {
    const work = this.tracing?.begin('aggregator.QueryAllCapabilities', { backends });
    if (work !== undefined) void ended.then(() => work.end());
  }

  #retire(connections: readonly BackendConnection[], drainMs: number): void {
    for (const connection of connections) {
      this.#retired.add(connection);
      this.#closeLater(connection.close(drainMs).finally(() => this.#retired.delete(connection)));
    }
  }

  /** @param other the optimizer whose resources must stay, because it uses them as well */
  #release(optimizer: Optimizer | undefined, other: Optimizer | undefined): void {
    if (optimizer !== undefined) this.#closeLater(optimizer.release(other));
  }

  #closeLater(closed: Promise<void>): void {
    const closing = closed.finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** The connections of a bundle: those of `existing` that reach a backend in the same way, and new ones for the rest. */
  #connect(
    bundle: GatewayBundle,
    existing: ReadonlyMap<string, BackendConnection>,
    credentials: CredentialsByBackend,
  ): ReadonlyMap<string, BackendConnection> {
    const { operational, passthroughHeaders: passed } = bundle;
    const { version, log } = this;
    return new Map(
      bundle.backends.map(plan => {
        const previous = existing.get(plan.name);
        if (previous?.identity === formatConnectionIdentity(plan, passed, operational)) return [plan.name, previous];
        const own = credentials.get(plan.name);
        const onChange = () => {
          this.#refresh();
          this.#refreshCapabilitySets(plan.name);
        };
        const onOffered = (capabilitySet: CapabilitySet) => this.#offered(capabilitySet);
        const onCallerListChanged = (caller: string, listChange: CallerListChange) =>
          this.#callerListed(plan.name, caller, listChange);
        return [
          plan.name,
          new BackendConnection(plan, {
            operational,
            version,
            log,
            passed,
            denial: this.#denial,
            credentials: own,
            earlier: previous,
            onChange,
            onRepeated: methods => this.#listChanged.repeat(this.table, plan.name, methods),
            onReading: () =>
              this.tracing?.begin('aggregator.QueryCapabilities', {
                action: 'list_capabilities',
                'target.workload_name': plan.name,
              }),
            onCallerListChanged,
            onOffered,
          }),
        ];
      }),
    );
  }

  /**
   * During the start every backend changes the table: it is built once when all have answered, or on its first use, and not for each backend.
   */
  #refresh(): void {
    this.#tables.invalidate();
    if (this.#isSettled) this.#tables.rebuild();
  }

  /** Indexes the tools in advance, so that the first search does not have to wait. */
  #index(): void {
    this.optimizer?.index(this.#tables.shared.lists.tools).catch((error: unknown) => {
      this.log.error({ err: error }, 'the tools could not be indexed');
    });
  }

  #show(after: ItemTable, change: ListChange = NOTHING_ELSE): void {
    const before = this.#tables.replace(after);
    if (this.#isSettled) this.#index();
    this.#withheldLog.update(after);
    this.#listChanged.tableReplaced(before, after, change);
  }

  #refreshCapabilitySets(backend: string): void {
    const capabilitySets = this.connections.get(backend)?.capabilitySets;
    for (const capabilitySet of this.#listChanged.capabilitySets) capabilitySets?.refresh(capabilitySet);
  }

  /** Called when a backend's lists for clients with a capability set have changed. */
  #offered(capabilitySet: CapabilitySet): void {
    this.#tables.invalidateCapabilitySet(capabilitySet);
    this.#listChanged.capabilitySetChanged(this.table.lists);
  }

  /** Called when a backend's lists for a caller have changed. */
  #callerListed(backend: string, caller: string, { changed, items }: CallerListChange): void {
    this.#withheldLog.callerListed(this.bundle, backend, items);
    if (changed.size > 0) this.#listChanged.callerChanged(caller, changed);
  }
}

async function waitUntilSettled(connections: readonly BackendConnection[], limitMs: number): Promise<void> {
  await waitAtMost(Promise.all(connections.map(connection => connection.monitor.settled)), limitMs);
}
