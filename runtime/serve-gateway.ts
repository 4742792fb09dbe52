/** A gateway as a process: both listeners, the gateway behind them, and the swap when the bundle changes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { canonicalJson, GATEWAY_PORT, type GatewayBundle, MCP_PATH, MESSAGES_PATH, SSE_PATH, VERSION } from '#schemas';
import type { Authorizer } from './auth/authorization/authorizer.ts';
import { PolicyError } from './auth/authorization/cedar-engine.ts';
import { createAuthorizer } from './auth/authorization/create-authorizer.ts';
import { SecretError } from './auth/secrets.ts';
import { BundleError } from './bundle/bundle-error.ts';
import { type LoadedBundle, loadGateway } from './bundle/load.ts';
import { BundleSlot, type BundleState } from './bundle/slot.ts';
import { watchBundle } from './bundle/watch.ts';
import { Callers, openGatewayPolicy } from './callers.ts';
import { Gateway, type GatewayOptions, type PreparedBundle } from './gateway/gateway.ts';
import type { TokenBuckets } from './gateway/limits/buckets.ts';
import type { PreparedLimits } from './gateway/limits/rate-limits.ts';
import { CredentialPlanError } from './gateway/open-credentials.ts';
import { createRequestHandler } from './gateway/requests.ts';
import { createStatelessHandler } from './gateway/stateless/requests.ts';
import { WaitingSessions } from './gateway/waiting-sessions.ts';
import { internalRoutes, metricsRoute } from './http/internal-routes.ts';
import { listen, urlOf } from './http/listen.ts';
import { type HandedListener, type Listener, type Route, startHanded } from './http/listener.ts';
import { respondJson } from './http/respond.ts';
import { createSseEndpoint } from './mcp/sse/sse-endpoint.ts';
import { createMcpEndpoint } from './mcp/streamable-http.ts';
import { UnreadBytes } from './mcp/unread-bytes.ts';
import type { AuditLog } from './observe/audit/audit-log.ts';
import { openAudit, prepareAudit } from './observe/audit/open-audit.ts';
import type { RecordTaker } from './observe/audit/record-writer.ts';
import { gatewayMetrics } from './observe/gateway-metrics.ts';
import { backendAttributes, limitAttributes } from './observe/gateway-spans.ts';
import type { Logger } from './observe/log.ts';
import type { Metric } from './observe/metrics/metric.ts';
import { RequestObserver } from './observe/requests/observed-handlers.ts';
import { METRICS_PATH, type PreparedTelemetry, ServedTelemetry, TelemetryError } from './observe/served-telemetry.ts';
import { type StatusPage, statusPage } from './observe/status.ts';
import { SwapCounts, type SwapFigures } from './observe/swap-counts.ts';
import type { RuntimeOptions } from './options.ts';
import { RedisError } from './redis/redis-error.ts';
import type { RunningRuntime } from './running-runtime.ts';
import type { SessionStoreHandle } from './shared-sessions/open.ts';
import type { SharedSessions } from './shared-sessions/store.ts';

/**
 * Serves a loaded gateway until `stop`.
 *
 * @throws BundleError for a bundle that must not be served, ListenError for an address that cannot be bound
 */
export async function serveGateway(
  loaded: LoadedBundle,
  options: RuntimeOptions,
  log: Logger,
): Promise<RunningRuntime> {
  const running = new BundleSlot(loaded, log);
  const swaps = new SwapCounts();
  const gateway = await openGateway(loaded, options, log, { state: running, swaps });
  let url: string;
  let internal: Listener;
  try {
    url = await gateway.listen();
    internal = await listen('--internal-address', options.internal, {
      routes: internalRoutes({
        ready: () => gateway.isReady,
        version: () => ({ version: VERSION, digest: running.digest }),
        status: () => gateway.status(running),
        metrics: () => gateway.metrics(running, swaps),
      }),
      log,
    });
  } catch (error) {
    await gateway.stop(0);
    throw error;
  }

  gateway.start();
  const stopWatching = options.watch
    ? watchBundle(options.bundle, async () => {
        const startedAt = performance.now();
        const { digest } = running;
        const isServed = await running.renew(
          () => loadGateway(options.bundle, options),
          async next => (await gateway.prepare(next)).use(),
        );
        if (!isServed) swaps.refused++;
        else if (running.digest !== digest) swaps.served(startedAt);
        return isServed;
      })
    : async () => {};
  return {
    url,
    internalUrl: urlOf(options.internal.host, internal.address.port),
    kind: 'gateway',
    digest: loaded.digest,
    registries: {},
    name: `${loaded.bundle.namespace}/${loaded.bundle.name}`,
    stop: async () => {
      gateway.refuseClients();
      await stopWatching();
      await gateway.stop();
      await internal.close(0);
    },
  };
}

/** A gateway without the pages about it. */
export interface OpenGateway {
  /** Clients may be sent here. */
  readonly isReady: boolean;
  /** Resolves when every backend was tried once, or has used up the time that a start has for that. */
  readonly settled: Promise<void>;
  /**
   * Begins to listen for clients.
   *
   * @returns the URL of the MCP endpoint
   * @throws ListenError
   */
  listen(): Promise<string>;
  /** Begins to serve clients whose connections another process accepts; gives what takes one. */
  takeConnections(): (connection: Socket) => void;
  /** Begins to ask the backends. */
  start(): void;
  /** @param state of the bundle, as it is known to whoever swaps it */
  status(state: BundleState): StatusPage;
  metrics(state: BundleState, swaps: SwapFigures): readonly Metric[];
  /** Sessions that no other process can serve: those over HTTP+SSE. */
  readonly ownSessions: number;
  /** @throws BundleError and leaves everything as it is */
  prepare(next: LoadedBundle): Promise<PreparedBundle>;
  /** Is not ready from now on. */
  refuseClients(): void;
  /** @param drainMs how long running requests may take; milliseconds */
  stop(drainMs?: number): Promise<void>;
}

/** The bundle of now, and how it came. */
export interface BundleFigures {
  readonly state: BundleState;
  readonly swaps: SwapFigures;
}

/** What a gateway shares with other processes that serve the same one, instead of having its own. */
export interface SharedParts {
  /** Where sessions are kept, unless the bundle says where. */
  readonly sessions: SharedSessions;
  /** Token buckets of limits that need no Redis. */
  readonly buckets: () => TokenBuckets;
  /** What requests leave behind to be recorded. */
  readonly records: RecordTaker;
  /** Those of all processes. */
  readonly metrics: () => Promise<readonly Metric[]>;
  /** Requests wait for it, where it is there. */
  readonly gate: { readonly opened: Promise<void> | undefined };
}

/**
 * Opens a loaded gateway, which serves nobody until it listens.
 *
 * @param figures for the metrics that this process sends and shows on the address for clients
 * @param parts none for a gateway that is one process
 * @throws BundleError for a bundle that must not be served
 */
export async function openGateway(
  loaded: LoadedBundle,
  options: RuntimeOptions,
  log: Logger,
  figures: BundleFigures,
  parts?: SharedParts,
): Promise<OpenGateway> {
  const { host, port = GATEWAY_PORT } = options.listen;
  const setLogLevel = logLevelSetter(log);
  setLogLevel(loaded.bundle);
  const authorizer = authorizerOf(loaded, log);
  const callers = new Callers(openGatewayPolicy(loaded, host, log));
  const gateway = await gatewayOf(loaded, authorizer, { denial: options.denial, buckets: parts?.buckets, log }).catch(
    async error => {
      await callers.close();
      throw error;
    },
  );
  const audit = await openAudit(loaded, log, parts?.records).catch(async error => {
    await Promise.all([callers.close(), gateway.close()]);
    throw error;
  });
  let isStopping = false;

  const store = await storeOf(loaded, log).catch(async error => {
    await Promise.all([gateway.close(), callers.close(), audit.close()]);
    throw error;
  });
  const waiting = new WaitingSessions();
  const shared = store?.sessions ?? parts?.sessions;
  const handler = createRequestHandler(gateway, waiting, shared);
  const { allowedOrigins = [] } = options;
  const unread = new UnreadBytes();
  const observer = new RequestObserver();
  const refusals = new Map<number, number>();
  const onRefused = (status: number) => void refusals.set(status, (refusals.get(status) ?? 0) + 1);
  const edge = { log, allowedOrigins, authenticator: callers, unread, onRefused, audit };
  const stateless = observer.ofStateless(createStatelessHandler(gateway));
  const endpoint = createMcpEndpoint(observer.ofSessions(handler, 'streamable-http'), stateless, { ...edge, shared });
  const sse = createSseEndpoint(observer.ofSessions(createRequestHandler(gateway, waiting), 'sse'), {
    ...edge,
    messagesPath: MESSAGES_PATH.slice(1),
  });
  const isReady = () => gateway.isSettled && !isStopping;
  const streams = () => ({
    unreadBytes: unread.bytes,
    keptBytes: endpoint.keptBytes,
    brokenStreams: unread.brokenStreams,
  });
  const metrics = (state: BundleState, swaps: SwapFigures): readonly Metric[] =>
    gatewayMetrics({
      gateway,
      state,
      swaps,
      observer,
      connections: {
        sessions: endpoint.sessionCount,
        sseSessions: sse.sessionCount,
        subscriptions: endpoint.subscriptionCount,
      },
      streams: streams(),
      refusals,
      isReady: isReady(),
      telemetry: telemetry.metrics(),
    });
  const metricsNow = () => metrics(figures.state, figures.swaps);
  const telemetry: ServedTelemetry = new ServedTelemetry({
    server: {
      namespace: loaded.bundle.namespace,
      name: loaded.bundle.name,
      metrics: metricsNow,
      backend: name => backendAttributes(gateway, name),
      limits: () => limitAttributes(gateway),
    },
    page: metricsRoute(parts?.metrics ?? metricsNow),
    host: parts === undefined ? host : undefined,
    log,
    onUse: (plan, tracing) => {
      observer.tracing = tracing;
      observer.useLegacyAttributes = plan?.useLegacyAttributes ?? true;
    },
  });
  const closeCore = () => Promise.all([gateway.close(), callers.close(), telemetry.close()]);
  const routes: ReadonlyMap<string, Route> = new Map([
    [MCP_PATH, endpoint.handle],
    [SSE_PATH, sse.stream],
    [MESSAGES_PATH, sse.messages],
  ]);
  const routeOf = (path: string) =>
    routes.get(path) ?? (path === METRICS_PATH ? telemetry.mainPage : undefined) ?? callers.route(path);
  const served = {
    routes: { get: parts === undefined ? routeOf : gated(parts.gate, routeOf) },
    log,
    onRequest: (req: IncomingMessage, res: ServerResponse) => audit.begin(req, res),
    onDrain: () => {
      endpoint.endStreams();
      sse.endStreams();
    },
  };
  let mcp: HandedListener | undefined;
  await telemetryOf(loaded, telemetry).then(
    prepared => prepared.use(),
    async error => {
      store?.close();
      await Promise.all([closeCore(), audit.close()]);
      throw error;
    },
  );
  return {
    get isReady() {
      return isReady();
    },
    settled: gateway.settled(),
    get ownSessions() {
      return gateway.sessions.size - endpoint.sessionCount;
    },
    listen: async () => {
      const listener = await listen('--host/--port', { host, port }, served);
      mcp = listener;
      return `${urlOf(host, listener.address.port)}${MCP_PATH}`;
    },
    takeConnections: () => {
      const listener = startHanded(served);
      mcp = listener;
      return connection => listener.take(connection);
    },
    start: () => void gateway.start(),
    status: state => statusPage(gateway, state, callers.status(), streams(), store?.health, audit.status),
    metrics,
    prepare: async next => {
      const renewStreams = () => {
        endpoint.renewStreams();
        sse.endStreams();
      };
      const prepared = await prepare(next, host, { gateway, callers, audit, telemetry, renewStreams }, log);
      return {
        ...prepared,
        use: () => {
          prepared.use();
          setLogLevel(next.bundle);
        },
      };
    },
    refuseClients: () => {
      isStopping = true;
    },
    stop: async drainMs => {
      isStopping = true;
      await mcp?.close(drainMs);
      endpoint.close();
      sse.close();
      store?.close();
      await audit.close(); // The last of the requests are recorded.
      await closeCore();
    },
  };
}

/** Routes by which requests wait while the gate is shut: none of them begins by a bundle that others have replaced. */
function gated(gate: SharedParts['gate'], routeOf: (path: string) => Route | undefined) {
  return (path: string): Route | undefined => {
    const { opened } = gate;
    if (opened === undefined) return routeOf(path);
    return async (req, res) => {
      await opened;
      const route = routeOf(path);
      if (route === undefined) respondJson(res, 404, JSON.stringify({ error: 'not_found' }));
      else if (!res.destroyed) await route(req, res);
    };
  };
}

/** What a swap changes. */
interface Served {
  readonly gateway: Gateway;
  readonly callers: Callers;
  readonly audit: AuditLog;
  readonly telemetry: ServedTelemetry;
  /** Ends what clients keep open to listen. */
  readonly renewStreams: () => void;
}

/** @throws BundleError and leaves the running bundle as it is */
async function prepare(
  next: LoadedBundle,
  host: string,
  { gateway, callers, audit, telemetry, renewStreams }: Served,
  log: Logger,
): Promise<PreparedBundle> {
  const { bundle } = next;
  if (canonicalJson(bundle.sessionStorage ?? null) !== canonicalJson(gateway.bundle.sessionStorage ?? null)) {
    throw new BundleError(next.file, 'sessions are to be stored elsewhere than now: start the process anew for that');
  }
  const isSamePolicy = canonicalJson(bundle.authorization) === canonicalJson(gateway.bundle.authorization);
  const authorizer = isSamePolicy ? gateway.authorizer : authorizerOf(next, log);
  const policy = callers.isSame(bundle.incomingAuth) ? undefined : openGatewayPolicy(next, host, log);
  const limits = await limitsOf(next, gateway).catch(async error => {
    await policy?.close();
    throw error;
  });
  const discardRest = async () => {
    limits.discard();
    await policy?.close();
  };
  const recording = await prepareAudit(audit, next).catch(async error => {
    await discardRest();
    throw error;
  });
  const discardAudit = async () => {
    await Promise.all([discardRest(), recording.cancel()]);
  };
  const reported = await telemetryOf(next, telemetry).catch(async error => {
    await discardAudit();
    throw error;
  });
  const discard = async () => {
    await Promise.all([discardAudit(), reported.discard()]);
  };
  const onSwap = () => {
    if (policy !== undefined) callers.replace(policy);
    limits.use();
    recording.apply();
    reported.use();
  };
  const prepared = await gateway.prepare(bundle, authorizer, onSwap).catch(async error => {
    await discard();
    throw bundleErrorOf(next, error);
  });
  return {
    use: () => {
      prepared.use();
      if (policy !== undefined) renewStreams(); // Those who listen have to get in anew.
    },
    discard: () => {
      prepared.discard();
      void discard();
    },
  };
}

/** @throws BundleError for backends whose credentials can never be had, and for limits whose Redis does not answer */
async function gatewayOf(
  loaded: LoadedBundle,
  authorizer: Authorizer,
  options: Omit<GatewayOptions, 'version'>,
): Promise<Gateway> {
  let gateway: Gateway;
  try {
    gateway = await Gateway.open(loaded.bundle, authorizer, { version: VERSION, ...options });
  } catch (error) {
    throw bundleErrorOf(loaded, error);
  }
  const limits = await limitsOf(loaded, gateway).catch(async error => {
    await gateway.close();
    throw error;
  });
  limits.use();
  return gateway;
}

/** @throws BundleError for limits whose Redis does not answer */
async function limitsOf({ bundle, file }: LoadedBundle, { limits }: Gateway): Promise<PreparedLimits> {
  try {
    return await limits.prepare(bundle);
  } catch (error) {
    const isExpected = error instanceof SecretError || error instanceof RedisError;
    throw isExpected ? new BundleError(file, `rateLimiting: ${error.message}`) : error;
  }
}

/** @throws BundleError for telemetry that cannot be had as the bundle wants it */
async function telemetryOf({ bundle, file }: LoadedBundle, telemetry: ServedTelemetry): Promise<PreparedTelemetry> {
  try {
    return await telemetry.prepare(bundle.telemetry);
  } catch (error) {
    throw error instanceof TelemetryError ? new BundleError(file, `telemetry: ${error.message}`) : error;
  }
}

function bundleErrorOf({ file }: LoadedBundle, error: unknown): unknown {
  return error instanceof CredentialPlanError ? new BundleError(file, error.message) : error;
}

/**
 * Where replicas find each other's sessions; undefined where there are none to share. Nothing of it is loaded then. Does not wait until the
 * store answers: sessions that it does not know of are 503 until then.
 *
 * @throws BundleError for secrets that are missing
 */
async function storeOf({ bundle, file }: LoadedBundle, log: Logger): Promise<SessionStoreHandle | undefined> {
  if (bundle.sessionStorage === undefined) return undefined;
  const { openSessionStore } = await import('./shared-sessions/open.ts');
  try {
    return openSessionStore(bundle.sessionStorage, bundle, log);
  } catch (error) {
    throw error instanceof SecretError ? new BundleError(file, error.message) : error;
  }
}

/** @throws BundleError for policies that cannot be decided by */
function authorizerOf({ bundle, file }: LoadedBundle, log: Logger): Authorizer {
  try {
    return createAuthorizer(bundle.authorization, log);
  } catch (error) {
    throw error instanceof PolicyError ? new BundleError(file, `authorization: ${error.message}`) : error;
  }
}

/** `debug` when the bundle asks for it, else what the process started with. */
function logLevelSetter(log: Logger): (bundle: GatewayBundle) => void {
  const { level } = log;
  return bundle => {
    log.level = bundle.operational.logLevel === 'debug' ? 'debug' : level;
  };
}
