/**
 * The gateway: one bundle at a time, swapped in one step. It owns the connections to the backends and the routing table
 * made of what they offer, and tells every client session when a list changed.
 */
import { setImmediate } from 'node:timers/promises';
import { type BackendPlan, type EmbeddingPlan, type GatewayBundle, mayShow, type PrivateDenial } from '#schemas';
import type { Access, Authorizer } from '../auth/authorization/authorizer.ts';
import type { Identity } from '../auth/identity.ts';
import type { ClientSession } from '../mcp/handler.ts';
import type { Logger } from '../observe/log.ts';
import type { WorkTracing } from '../observe/own-work.ts';
import { SealKeys } from '../shared-sessions/seal-keys.ts';
import type { BackendError } from './backends/backend.ts';
import type { BackendCredentials } from './backends/backend-credentials.ts';
import { BackendNews, type NewsWriter } from './backends/health/backend-news.ts';
import { openCredentials } from './backends/open-credentials.ts';
import { listKeyOf, type Sender } from './backends/sender.ts';
import type { Audience } from './callers/audience.ts';
import { AudienceNews } from './callers/audience-news.ts';
import { type AudienceTable, AudienceTables } from './callers/audience-tables.ts';
import type { CallerDiscovery } from './callers/caller-discovery.ts';
import type { ListNews } from './callers/caller-lists.ts';
import { BackendConnection, connectionIdentity } from './connection.ts';
import type { TokenBuckets } from './limits/buckets.ts';
import { RateLimits } from './limits/rate-limits.ts';
import { type Capabilities, type CapabilityKind, KINDS, NO_CAPABILITIES } from './offers/capabilities.ts';
import { lockedOffer, mayBeLocked } from './offers/locked-offer.ts';
import type { EmbeddingSource } from './optimizer/embeddings/embedding-source.ts';
import type { Optimizer } from './optimizer/optimizer.ts';
import { OptimizerCounts } from './optimizer/optimizer-counts.ts';
import type { Denials } from './routing/access.ts';
import {
  type BackendOffer,
  buildBackendTable,
  buildTable,
  type CapabilityTable,
  type RoutingTable,
} from './routing/table.ts';
import { Slices } from './scheduling/slices.ts';
import type { GatewaySession } from './sessions/client-session.ts';
import { moveSubscriptions } from './sessions/subscriptions.ts';
import { Workflows } from './workflow/workflows.ts';

/** How long a swap waits for backends that are new in a bundle, so that their tools do not come a moment late; milliseconds. */
const SWAP_WAIT_MS = 300;

/** Unless options say otherwise; milliseconds. */
const FIRST_LIST_WAIT_MS = 3_000;

/**
 * How long sessions may take to end over a connection that a new bundle does without, once no request is under way there; milliseconds. Longer
 * than other replicas are asked whether they still use them.
 */
const RETIRE_MS = 10_000;

export interface GatewayOptions {
  readonly version: string;
  readonly log: Logger;
  /** That no backend, and no token endpoint of one, may be at a private address. Default: it is up to the bundle. */
  readonly denial?: PrivateDenial | undefined;
  /** Opens token buckets that need no Redis. Default: in the memory of this process. */
  readonly buckets?: (() => TokenBuckets) | undefined;
  /** Folder for what is kept across restarts. Default: nothing is kept. */
  readonly stateFolder?: string | undefined;
  /** What embeds the texts of tools. Default: the service of the plan. */
  readonly embeddingSource?: ((plan: EmbeddingPlan) => EmbeddingSource) | undefined;
  /** How long the first list waits for backends that have not answered yet; milliseconds. Default: 3,000. */
  readonly firstListWaitMs?: number | undefined;
}

export interface GatewayListener {
  /** On whose behalf it listens. */
  readonly sender: Sender;
  /** A list changed: the notification's method, and the notification as JSON text. */
  listChanged(method: string, json: string): void;
  /** Another bundle is served: connections that it does without are about to close. */
  swapped(): void;
}

/** A bundle that is ready to be served. */
export interface PreparedBundle {
  /** Serves it from now on. */
  use(): void;
  /** Lets go of it. */
  discard(): void;
}

type Credentials = ReadonlyMap<string, BackendCredentials>;

interface Active {
  readonly bundle: GatewayBundle;
  readonly authorizer: Authorizer;
  /** By backend name. */
  readonly connections: ReadonlyMap<string, BackendConnection>;
  /** Those where each caller has a credential of its own. */
  readonly perCaller: readonly PerCallerConnection[];
  /** Where clients find the tools by it instead of reading a list. */
  readonly optimizer: Optimizer | undefined;
}

interface PerCallerConnection {
  readonly plan: BackendPlan;
  readonly connection: BackendConnection;
  readonly discovery: CallerDiscovery;
}

export class Gateway {
  readonly version: string;
  readonly log: Logger;
  readonly #denial: PrivateDenial | undefined;
  readonly #stateFolder: string | undefined;
  readonly #embeddingSource: GatewayOptions['embeddingSource'];
  readonly #firstListWaitMs: number;
  readonly sessions: Set<ClientSession<GatewaySession>> = new Set();
  /** Further observers of lists and connections. */
  readonly listeners: Set<GatewayListener> = new Set();
  /** For work that one client can ask for a thousand times at once. */
  readonly slices: Slices;
  /** None until `prepare` and `use` were called for those of a bundle. */
  readonly limits: RateLimits;
  readonly workflows: Workflows;
  readonly optimizerCounts: OptimizerCounts = new OptimizerCounts();
  /** By which it seals what clients bring back. Replaced where replicas share them. */
  seals: SealKeys = new SealKeys();
  /** What policies have denied. */
  readonly denials: Denials = { call_tool: 0, get_prompt: 0, read_resource: 0 };
  /** Undefined while nothing is traced. */
  tracing: WorkTracing | undefined;
  #active: Active;
  /** What is the same for all callers. */
  #table: CapabilityTable;
  /** Over `#table`; undefined until it is read. */
  #audienceTables: AudienceTables | undefined;
  readonly #audienceNews = new AudienceNews(this.sessions, audience => this.#tablesOf(audience).table.lists);
  /** A backend has listed something that is not in the table yet. */
  #isStale = false;
  readonly #settled: Promise<void>;
  #isSettled = false;
  /** Resolves when the bundle of now is replaced. */
  #isReplaced = Promise.withResolvers<void>();
  /** What is on its way out. */
  readonly #closing = new Set<Promise<void>>();
  /** Connections that requests are still under way over. */
  readonly #retired = new Set<BackendConnection>();
  #isClosed = false;
  readonly #withheldWriter: NewsWriter<CapabilityTable['withheld'][number]> = {
    tell: item => {
      if (item.backend === '') {
        this.log.warn(item, `withheld workflow "${item.name}": ${item.detail ?? item.reason}`);
        return;
      }
      const what = `${nounOf(item.kind)} "${item.originalName}" of backend "${item.backend}"`;
      this.log.warn(item, `withheld ${what}, which would be "${item.name}": ${item.detail ?? item.reason}`);
    },
    tellOfRest: (backend, count) =>
      this.log.warn({ backend, count }, `withheld ${count} more of backend "${backend}": /status names some of them`),
  };
  readonly #withheldNews = new BackendNews(this.#withheldWriter);
  /** Of lists of single callers. */
  readonly #toldNews = new BackendNews(this.#withheldWriter);
  readonly #idleNews = new BackendNews<CapabilityTable['idle'][number]>({
    tell: item => {
      const { backend, setting, tool } = item;
      this.log.warn(item, `the ${setting} "${tool}" does nothing: backend "${backend}" has no such tool`);
    },
    tellOfRest: (backend, count) =>
      this.log.warn({ backend, count }, `${count} more settings for backend "${backend}" do nothing: /status has them`),
  });

  /**
   * Opens what the backends of a bundle get besides the messages.
   *
   * @param authorizer by the policies of that bundle
   * @throws CredentialPlanError for a backend whose credential can never be had
   */
  static async open(bundle: GatewayBundle, authorizer: Authorizer, options: GatewayOptions): Promise<Gateway> {
    const credentials = await openCredentials(bundle.backends, bundle.passthroughHeaders, options.log, options.denial);
    const slices = new Slices();
    const optimizer = await optimizerOf(bundle, { ...options, slices });
    return new Gateway(bundle, authorizer, options, credentials, { slices, optimizer });
  }

  /**
   * @param credentials of the backends that need any; closed with their connections
   * @param search the optimizer where the bundle has one, which takes its turns by these slices
   */
  constructor(
    bundle: GatewayBundle,
    authorizer: Authorizer,
    options: GatewayOptions,
    credentials: Credentials = new Map(),
    search: { readonly slices: Slices; readonly optimizer: Optimizer | undefined } | undefined = undefined,
  ) {
    this.slices = search?.slices ?? new Slices();
    this.version = options.version;
    this.log = options.log;
    this.limits = new RateLimits(options.log, options.buckets);
    this.workflows = new Workflows(options.log);
    this.#denial = options.denial;
    this.#stateFolder = options.stateFolder;
    this.#embeddingSource = options.embeddingSource;
    this.#firstListWaitMs = options.firstListWaitMs ?? FIRST_LIST_WAIT_MS;
    search?.optimizer?.use();
    this.#active = activeOf(bundle, authorizer, this.#connect(bundle, new Map(), credentials), search?.optimizer);
    this.#table = this.#built(this.#active);
    this.#settled = this.#hearAll().then(() => {
      this.#isSettled = true;
      if (this.#isStale) this.#rebuild();
      this.#index();
    });
  }

  /** Begins to ask the backends: one at each turn of the event loop, so that requests of clients are served in between. */
  async start(): Promise<void> {
    this.#traceQueries(this.connections.size, this.#settled);
    for (const { monitor } of this.#active.connections.values()) {
      await setImmediate();
      monitor.start();
    }
  }

  get bundle(): GatewayBundle {
    return this.#active.bundle;
  }

  get authorizer(): Authorizer {
    return this.#active.authorizer;
  }

  /** What a caller may do by the policies of now. */
  accessOf(caller: Identity): Access {
    return this.#active.authorizer.accessOf(caller);
  }

  /** Undefined where clients read the list of tools. */
  get optimizer(): Optimizer | undefined {
    return this.#active.optimizer;
  }

  /** What is the same for all callers. */
  get table(): CapabilityTable {
    if (this.#isStale) this.#rebuild();
    return this.#table;
  }

  /** What a caller is listed, and where its requests go. */
  tableOf(sender: Sender): RoutingTable {
    const { perCaller } = this.#active;
    const audience = this.#tablesOf(sender.audience);
    return perCaller.length === 0 ? audience.table : this.#tableFor(sender, perCaller, audience);
  }

  #tablesOf(audience: Audience | undefined): AudienceTable {
    const { table } = this;
    this.#audienceTables ??= new AudienceTables(this.bundle, table, (backend, ofThese) =>
      this.connections.get(backend)?.audiences.of(ofThese),
    );
    return this.#audienceTables.of(audience);
  }

  #tableFor(sender: Sender, perCaller: readonly PerCallerConnection[], audience: AudienceTable): RoutingTable {
    const caller = listKeyOf(sender);
    const told = perCaller.flatMap(({ plan, connection, discovery }) => {
      const list = discovery.told(caller);
      return list === undefined || list.nameCount === 0
        ? []
        : [{ plan, list, available: connection.monitor.available }];
    });
    return told.length === 0 ? audience.table : audience.callers.of(told);
  }

  /** What all callers together have, for operators: no request is served by it. */
  overview(): CapabilityTable {
    const { table } = this;
    const { bundle, perCaller } = this.#active;
    const told = new Map(
      perCaller
        .filter(({ discovery }) => !discovery.isEmpty)
        .map(({ plan, discovery }) => [plan.name, discovery.shown] as const),
    );
    if (told.size === 0) return table;
    const offers = offersOf(this.#active).map(offer => {
      const capabilities = told.get(offer.plan.name);
      return capabilities === undefined ? offer : { ...offer, capabilities, asksCallers: false };
    });
    return buildTable(bundle, offers);
  }

  get connections(): ReadonlyMap<string, BackendConnection> {
    return this.#active.connections;
  }

  /** Resolves when every backend was tried once, well or not, or has used up the time that a start has for that. */
  settled(): Promise<void> {
    return this.#settled;
  }

  /**
   * Resolves when it is known where the name of a tool or prompt leads. With prefixes only those backends have a say in it
   * whose prefix begins the name, and they are asked before the others; with other strategies any of them may, and under
   * `partialFailureMode: fail` all of them have to be there.
   */
  async decided(name: string): Promise<void> {
    const { bundle, connections } = this.#active;
    const needsAll = bundle.aggregation.strategy !== 'prefix' || bundle.operational.partialFailure === 'fail';
    if (needsAll || this.#isWorkflow(name)) return this.#settled;
    const rivals = bundle.backends
      .filter(({ tools }) => name.startsWith(tools.prefix))
      .flatMap(plan => connections.get(plan.name)?.monitor ?? []);
    for (const monitor of rivals) monitor.start();
    await Promise.race([this.#settled, Promise.all(rivals.map(monitor => monitor.settled))]);
  }

  /**
   * A backend that is away, has listed nothing to this caller since the start, and could have a name as far as the plan says. Only
   * prefixes decide that: with other strategies any backend could have any name.
   */
  silentHolder(name: string, kind: 'tool' | 'prompt', sender: Sender): BackendConnection | undefined {
    const { bundle, connections } = this.#active;
    // Its steps may call a tool of any backend.
    if (kind === 'tool' && this.#isWorkflow(name))
      return [...connections.values()].find(one => !one.monitor.available && !hasTold(one, sender));
    if (bundle.aggregation.strategy !== 'prefix') return undefined;
    for (const plan of bundle.backends) {
      const { name: backend, tools } = plan;
      const connection = connections.get(backend);
      if (connection === undefined || connection.monitor.available) continue;
      // The table has what the lock says of such a name: its backend does not hold it, or it would have been found.
      if (mayBeLocked(plan, kind, name)) continue;
      if (hasTold(connection, sender) || !name.startsWith(tools.prefix)) continue;
      if (kind === 'prompt' || mayShow(tools, name.slice(tools.prefix.length))) return connection;
    }
    return undefined;
  }

  /** Backends may offer this sender something else than the gateway itself. */
  hasOwnLists({ audience }: Sender): boolean {
    return audience !== undefined || this.#active.perCaller.length > 0;
  }

  /** A client of this audience has come: reads in the background what backends offer it, as far as that is not known or old. */
  refreshAudience(audience: Audience): void {
    if (this.#isSettled) this.#audienceNews.joined(audience);
    for (const { audiences } of this.connections.values()) audiences.refresh(audience);
  }

  /** Backends of which it is not known what they offer to clients like the sender's: all, or those that can have this name. */
  unread({ audience }: Sender, name?: string): readonly BackendConnection[] {
    if (audience === undefined) return [];
    return this.bundle.backends.flatMap(plan => {
      const connection = this.connections.get(plan.name);
      const isUnread = connection?.audiences.isPending(audience) === true && this.#canHave(plan, name);
      return isUnread ? [connection] : [];
    });
  }

  /**
   * Backends that answer callers only, and have not answered this one yet: all of them, or those that can have this name of a
   * tool or prompt.
   */
  unasked(sender: Sender, name?: string): readonly PerCallerConnection[] {
    const { perCaller } = this.#active;
    return perCaller.filter(({ plan, discovery }) => discovery.isPending(sender) && this.#canHave(plan, name));
  }

  #canHave({ tools }: BackendPlan, name: string | undefined): boolean {
    if (name === undefined || this.bundle.aggregation.strategy !== 'prefix' || name.startsWith(tools.prefix))
      return true;
    // Its steps may call a tool of any of them.
    return this.#isWorkflow(name);
  }

  #isWorkflow(name: string): boolean {
    return this.bundle.workflows?.some(workflow => workflow.name === name) === true;
  }

  /**
   * Finds out in the name of a caller what those backends offer that answer callers only; for the name of a tool or prompt,
   * those of them that can have it. Waits for what this caller has not asked before, at most as long as a first list does.
   *
   * @returns why backends refused this caller
   */
  async learn(sender: Sender, name?: string): Promise<readonly BackendError[]> {
    const refusals: BackendError[] = [];
    if (sender.rules.areReplaced) return refusals;
    const { perCaller } = this.#active;
    const asked = this.unasked(sender, name);
    for (const { plan, discovery } of perCaller) if (this.#canHave(plan, name)) discovery.refresh(sender);
    const { audience } = sender;
    const reading = this.unread(sender, name).map(({ audiences }) => audiences.learn(audience as Audience));
    if (asked.length === 0 && reading.length === 0) return refusals;
    const learning = asked.map(async ({ discovery }) => {
      const refusal = await discovery.learn(sender);
      if (refusal !== undefined) refusals.push(refusal);
    });
    await within(Promise.all([...learning, ...reading]), this.#firstListWaitMs);
    for (const { discovery } of asked) discovery.hasWaited(sender);
    return refusals;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /**
   * Makes everything ready that serving another bundle takes. Client sessions stay; connections that the new bundle makes in the same way
   * are kept, the others are closed when their requests have ended.
   *
   * @param authorizer by the policies of that bundle; the former one when they are the same
   * @param onSwap is called in the moment from which on that bundle is served, and not before it is sure to be
   * @returns what is used or discarded before the next bundle is prepared
   * @throws CredentialPlanError for a backend whose credential can never be had
   */
  async prepare(bundle: GatewayBundle, authorizer: Authorizer, onSwap: () => void = () => {}): Promise<PreparedBundle> {
    const before = this.#active.connections;
    const { passthroughHeaders, operational } = bundle;
    const isNew = (plan: BackendPlan) =>
      before.get(plan.name)?.identity !== connectionIdentity(plan, passthroughHeaders, operational);
    const credentials = await openCredentials(
      bundle.backends.filter(isNew),
      passthroughHeaders,
      this.log,
      this.#denial,
    );
    const search = {
      slices: this.slices,
      log: this.log,
      denial: this.#denial,
      stateFolder: this.#stateFolder,
      embeddingSource: this.#embeddingSource,
    };
    const optimizer = await optimizerOf(bundle, search, this.optimizer);
    const next = activeOf(bundle, authorizer, this.#connect(bundle, before, credentials), optimizer);
    const added = [...next.connections.values()].filter(connection => before.get(connection.name) !== connection);
    for (const { monitor } of added) monitor.start();
    const settled = settledWithin(added, SWAP_WAIT_MS);
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

  #use(next: Active, added: readonly BackendConnection[], onSwap: () => void): void {
    const before = this.#active.connections;
    const after = [...next.connections.values()];
    // Meanwhile the connection that goes may have learnt what the one that comes still waits for.
    for (const { name, monitor } of added) monitor.inherit(before.get(name)?.monitor);
    const table = this.#isClosed ? undefined : this.#built(next);
    onSwap();
    if (table === undefined) {
      this.#retire(added, 0);
      this.#release(next.optimizer, undefined);
      return;
    }
    const former = this.optimizer;
    this.#release(former, next.optimizer);
    next.optimizer?.use();
    const isListReplaced = (next.optimizer === undefined) !== (former === undefined);
    const isVisibleChanged = isListReplaced || next.authorizer !== this.#active.authorizer;
    this.#active = next;
    this.#isReplaced.resolve();
    this.#isReplaced = Promise.withResolvers();
    for (const { monitor } of after) monitor.configure(next.bundle.operational);
    this.#show(table, isVisibleChanged, isListReplaced);
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

  /** Waits for the sessions with backends that are being ended, where other replicas expect something of them; milliseconds. */
  async sessionsEnded(limitMs: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limitMs);
    await Promise.race([Promise.all([...this.connections.values()].map(connection => connection.ended())), late]);
    clearTimeout(timer);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.workflows.close();
    this.limits.close();
    this.#retire([...this.#active.connections.values()], 0);
    this.#release(this.optimizer, undefined);
    for (const connection of this.#retired) connection.break();
    await Promise.all(this.#closing);
  }

  /** A bundle that comes during the start brings connections of its own, and those that it replaces tell nothing more. */
  async #hearAll(): Promise<void> {
    const deadline = performance.now() + this.#firstListWaitMs;
    for (let heard: Active | undefined; heard !== this.#active && performance.now() < deadline; ) {
      heard = this.#active;
      const all = settledWithin([...heard.connections.values()], deadline - performance.now());
      await Promise.race([all, this.#isReplaced.promise]);
    }
  }

  #traceQueries(backends: number, ended: Promise<void>): void {
    const work = this.tracing?.begin('aggregator.QueryAllCapabilities', { backends });
    if (work !== undefined) void ended.then(() => work.end());
  }

  #built(active: Active, offers: readonly BackendOffer[] = offersOf(active)): CapabilityTable {
    const work = this.tracing?.begin('aggregator.AggregateCapabilities', { backends: offers.length });
    try {
      const table = buildTable(active.bundle, offers, work);
      work?.end();
      return table;
    } catch (error) {
      work?.end('internal');
      throw error;
    }
  }

  #retire(connections: readonly BackendConnection[], drainMs: number): void {
    for (const connection of connections) {
      this.#retired.add(connection);
      this.#closeLater(connection.close(drainMs).finally(() => this.#retired.delete(connection)));
    }
  }

  /** @param other goes on with what both have in common */
  #release(optimizer: Optimizer | undefined, other: Optimizer | undefined): void {
    if (optimizer !== undefined) this.#closeLater(optimizer.release(other));
  }

  #closeLater(closed: Promise<void>): void {
    const closing = closed.finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** Connections for a bundle: those of `existing` that reach a backend in the same way, new ones for the rest. */
  #connect(
    bundle: GatewayBundle,
    existing: ReadonlyMap<string, BackendConnection>,
    credentials: Credentials,
  ): ReadonlyMap<string, BackendConnection> {
    const { operational, passthroughHeaders: passed } = bundle;
    const { version, log } = this;
    return new Map(
      bundle.backends.map(plan => {
        const earlier = existing.get(plan.name);
        if (earlier?.identity === connectionIdentity(plan, passed, operational)) return [plan.name, earlier];
        const own = credentials.get(plan.name);
        const onChange = () => {
          this.#refresh();
          this.#refreshAudiences(plan.name);
        };
        const onOffered = (audience: Audience) => this.#offered(audience);
        const onTold = (caller: string, news: ListNews) => this.#hear(plan.name, caller, news);
        return [
          plan.name,
          new BackendConnection(plan, {
            operational,
            version,
            log,
            passed,
            denial: this.#denial,
            credentials: own,
            earlier,
            onChange,
            onRepeated: methods => this.#repeat(plan.name, methods),
            onReading: () =>
              this.tracing?.begin('aggregator.QueryCapabilities', {
                action: 'list_capabilities',
                'target.workload_name': plan.name,
              }),
            onTold,
            onOffered,
          }),
        ];
      }),
    );
  }

  /** During the start every backend changes the table: it is built once when all have answered, or when it is read, and not for each. */
  #refresh(): void {
    this.#isStale = true;
    if (this.#isSettled) this.#rebuild();
  }

  /**
   * Builds the table again, unless all offers are those that it was made of, and announces what changed. A fault of ours in that
   * must not end the process.
   */
  #rebuild(): void {
    this.#isStale = false;
    try {
      const offers = offersOf(this.#active);
      if (!areSame(offers, this.#table.offers)) this.#show(this.#built(this.#active, offers));
    } catch (error) {
      this.log.error({ err: error }, 'the routing table could not be built; the former one stays');
    }
  }

  /** So that the first search need not wait for it. */
  #index(): void {
    this.optimizer?.index(this.#table.lists.tools).catch((error: unknown) => {
      this.log.error({ err: error }, 'the tools could not be indexed');
    });
  }

  /** Lists that clients read, with notifications of changes: with the optimizer, tools are searched instead. */
  get #readKinds(): typeof KINDS {
    return this.optimizer === undefined ? KINDS : KINDS.filter(({ kind }) => kind !== 'tools');
  }

  /**
   * @param isVisibleChanged other policies decide what of the lists is visible to whom
   * @param isListReplaced the list of tools has given way to the optimizer, or the other way round
   */
  #show(after: CapabilityTable, isVisibleChanged = false, isListReplaced = false): void {
    const before = this.#table;
    this.#table = after;
    this.#audienceTables = undefined;
    this.#isStale = false;
    if (this.#isSettled) this.#index();
    this.#withheldNews.update(after.withheld, after.moreWithheld);
    this.#idleNews.update(after.idle);
    const isListedAnew = !sameNames(before.askingCallers, after.askingCallers);
    // Callers with lists of their own are notified of those separately.
    const kinds = isListReplaced ? KINDS : this.#readKinds;
    const changed = kinds.filter(
      ({ kind }) => isVisibleChanged || isListedAnew || !after.lists[kind].equals(before.lists[kind]),
    );
    for (const method of new Set(changed.map(traits => traits.changedMethod))) {
      const json = JSON.stringify({ jsonrpc: '2.0', method });
      for (const session of this.sessions) if (session.payload.audience === undefined) session.send(json);
      for (const listener of this.listeners) listener.listChanged(method, json);
    }
    this.#audienceNews.announce(before.lists, isVisibleChanged || isListedAnew, kinds);
  }

  /**
   * A backend has announced lists as changed that read the same. Clients of the stateless revision have asked for such notifications by
   * kind, and get them as they would directly, of lists in which the backend has something to show.
   */
  #repeat(backend: string, methods: readonly string[]): void {
    const { table } = this;
    for (const method of methods) {
      if (!this.#readKinds.some(({ kind, changedMethod }) => changedMethod === method && shows(table, kind, backend)))
        continue;
      const json = JSON.stringify({ jsonrpc: '2.0', method });
      for (const listener of this.listeners) listener.listChanged(method, json);
    }
  }

  #refreshAudiences(backend: string): void {
    const audiences = this.connections.get(backend)?.audiences;
    for (const audience of this.#audienceNews.audiences) audiences?.refresh(audience);
  }

  /** A backend offers an audience something else than before. */
  #offered(audience: Audience): void {
    this.#audienceTables?.forget(audience);
    this.#audienceNews.announce(this.table.lists, false, this.#readKinds);
  }

  /** The lists that a backend gives to a caller changed. */
  #hear(backend: string, caller: string, { changed, items }: ListNews): void {
    this.#logWithheld(backend, items);
    if (changed.size > 0) this.#announceTo(caller, changed);
  }

  /** Notifies one caller, and no other, that its lists changed. */
  #announceTo(caller: string, kinds: ReadonlySet<CapabilityKind>): void {
    const methods = new Set(this.#readKinds.filter(({ kind }) => kinds.has(kind)).map(traits => traits.changedMethod));
    const tell = (sender: Sender, send: (method: string, json: string) => void) => {
      if (listKeyOf(sender) !== caller) return;
      for (const method of methods) send(method, JSON.stringify({ jsonrpc: '2.0', method }));
    };
    for (const session of this.sessions) tell(session.payload.sender, (_method, json) => session.send(json));
    for (const listener of this.listeners) {
      tell(listener.sender, (method, json) => listener.listChanged(method, json));
    }
  }

  /** What is wrong with items that no caller was listed before; the table for all does not have them. */
  #logWithheld(backend: string, items: Capabilities): void {
    const plan = this.bundle.backends.find(({ name }) => name === backend);
    if (plan === undefined || KINDS.every(({ kind }) => items[kind].length === 0)) return;
    const offer = { plan, capabilities: items, available: true, asksCallers: true };
    const { withheld, moreWithheld } = buildBackendTable(this.bundle, [offer]);
    this.#toldNews.update(withheld, moreWithheld);
  }
}

function activeOf(
  bundle: GatewayBundle,
  authorizer: Authorizer,
  connections: ReadonlyMap<string, BackendConnection>,
  optimizer: Optimizer | undefined,
): Active {
  const perCaller = bundle.backends.flatMap(plan => {
    const connection = connections.get(plan.name);
    const discovery = connection?.discovery;
    return connection === undefined || discovery === undefined ? [] : [{ plan, connection, discovery }];
  });
  return { bundle, authorizer, connections, perCaller, optimizer };
}

/** Nothing of it is loaded for a bundle without one. */
async function optimizerOf(
  bundle: GatewayBundle,
  {
    slices,
    log,
    denial,
    stateFolder,
    embeddingSource,
  }: Pick<GatewayOptions, 'log' | 'denial' | 'stateFolder' | 'embeddingSource'> & { readonly slices: Slices },
  earlier?: Optimizer,
): Promise<Optimizer | undefined> {
  if (bundle.optimizer === undefined) return undefined;
  const { openOptimizer } = await import('./optimizer/open-optimizer.ts');
  return openOptimizer(bundle, { slices, log, denial, stateFolder, embeddingSource }, earlier);
}

/** Whether clients are listed anything of a backend. */
function shows(table: CapabilityTable, kind: CapabilityKind, backend: string): boolean {
  const routes = kind === 'resourceTemplates' ? table.templates : table[kind];
  return [...routes.values()].some(route => route.backend === backend);
}

/** What is the same for all callers. */
function offersOf({ bundle, connections }: Active): readonly BackendOffer[] {
  return bundle.backends.flatMap(plan => {
    const monitor = connections.get(plan.name)?.monitor;
    if (monitor === undefined) return [];
    const { available, asksCallers, isKnown } = monitor;
    const capabilities = isKnown ? monitor.capabilities : lockedOffer(plan);
    return [{ plan, capabilities, available, asksCallers }];
  });
}

/** Lists are compared where they are read: one that says the same is the same object. */
function areSame(offers: readonly BackendOffer[], others: readonly BackendOffer[]): boolean {
  return offers.length === others.length && offers.every((offer, at) => isSame(offer, others[at] as BackendOffer));
}

function isSame(offer: BackendOffer, other: BackendOffer): boolean {
  return (Object.keys(offer) as (keyof BackendOffer)[]).every(member => offer[member] === other[member]);
}

/** A backend of which it is known what it offers a caller. */
function hasTold({ monitor, discovery }: BackendConnection, sender: Sender): boolean {
  if (monitor.health.mcpRevision === null) return false;
  const hasOwnLists = discovery !== undefined && monitor.capabilities === NO_CAPABILITIES;
  return !hasOwnLists || discovery.told(listKeyOf(sender)) !== undefined;
}

function sameNames(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every(name => b.has(name));
}

function nounOf(kind: CapabilityKind): string {
  return { tools: 'tool', prompts: 'prompt', resources: 'resource', resourceTemplates: 'resource template' }[kind];
}

async function settledWithin(connections: readonly BackendConnection[], limitMs: number): Promise<void> {
  await within(Promise.all(connections.map(connection => connection.monitor.settled)), limitMs);
}

async function within(event: Promise<unknown>, limitMs: number): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs).unref();
  await Promise.race([timeUp, event]);
  clearTimeout(timer);
}
