/** Opens a gateway in one process: its parts, its endpoints for clients, and what it reports in `/status` and metrics. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type EmbeddingPlan, GATEWAY_PORT, type GatewayBundle, MCP_PATH, MESSAGES_PATH, SSE_PATH } from '#schemas';
import { ActiveAuthenticator, openGatewayPolicy } from './active-authenticator.ts';
import type { BundleState } from './bundle/active-bundle.ts';
import type { LoadedBundle } from './bundle/load.ts';
import type { PreparedBundle } from './gateway/gateway.ts';
import type { TokenBuckets } from './gateway/limits/buckets.ts';
import type { EmbeddingSource } from './gateway/optimizer/embeddings/embedding-source.ts';
import { createRequestHandler } from './gateway/sessions/requests.ts';
import { WaitingSessions } from './gateway/sessions/waiting-sessions.ts';
import { createStatelessHandler } from './gateway/stateless/requests.ts';
import { openAuthorizer, openCore, openStore, prepareLimits } from './gateway-parts.ts';
import { createMetricsRoute } from './http/internal-routes.ts';
import { formatUrl, listen } from './http/listen.ts';
import { DRAIN_MS, type HandedListener, type Route, startHanded } from './http/listener.ts';
import { respondJson } from './http/respond.ts';
import { createSseEndpoint, type SseEndpoint } from './mcp/sse/sse-endpoint.ts';
import { createMcpEndpoint } from './mcp/streamable-http/endpoint.ts';
import { UnreadBytes } from './mcp/unread-bytes.ts';
import { openAudit } from './observe/audit/open-audit.ts';
import type { RecordTaker } from './observe/audit/record-writer.ts';
import { listGatewayMetrics } from './observe/gateway-metrics.ts';
import { buildBackendAttributes, limitAttributes } from './observe/gateway-spans.ts';
import type { Logger } from './observe/log.ts';
import type { Metric } from './observe/metrics/metric.ts';
import { OtlpTracing } from './observe/otlp/otlp-tracing.ts';
import { WorkSpans } from './observe/otlp/work-spans.ts';
import { RequestObserver } from './observe/requests/observed-handlers.ts';
import { METRICS_PATH, ServedTelemetry } from './observe/served-telemetry.ts';
import { describeStartOptions } from './observe/start-options.ts';
import { buildStatusPage, type StatusPage } from './observe/status.ts';
import type { SwapFigures } from './observe/swap-counts.ts';
import { ActiveAuthServer } from './open-auth-server.ts';
import type { RuntimeOptions } from './options.ts';
import { prepareSwap } from './prepare-swap.ts';
import { SealKeys } from './shared-sessions/seal-keys.ts';
import type { SharedSessions } from './shared-sessions/store.ts';
import { findStateFolder as stateFolderOf } from './state-folder.ts';
import { openAll } from './undo.ts';

/** An open gateway; its internal pages are served elsewhere. */
export interface OpenGateway {
  /** Whether the gateway is ready to receive requests of clients. */
  readonly isReady: boolean;
  /** Resolves when every backend was probed once, or has exceeded the time limit of a start. */
  readonly settled: Promise<void>;
  /**
   * Begins to listen for clients.
   *
   * @returns the URL of the MCP endpoint
   * @throws ListenError
   */
  listen(): Promise<string>;
  /** Begins to serve clients whose connections another process accepts. Returns a function to which each connection is passed. */
  takeConnections(): (connection: Socket) => void;
  /** Begins to probe the backends. */
  start(): void;
  /** @param state the state of the bundle in the process that replaces bundles */
  status(state: BundleState): StatusPage;
  metrics(state: BundleState, swaps: SwapFigures): readonly Metric[];
  /** Number of sessions that no other process can serve: those over HTTP+SSE. */
  readonly ownSessions: number;
  /** The keys of the other sessions that this process holds, in the store that replicas share. */
  listSessionKeys(): readonly string[];
  /** @throws BundleError and leaves everything unchanged */
  prepare(next: LoadedBundle): Promise<PreparedBundle>;
  /** From now on, the gateway reports that it is not ready. */
  refuseClients(): void;
  /**
   * @param drainMs how long running requests may take; milliseconds
   * @param leaveMs how long connections without a request stay open; milliseconds
   */
  stop(drainMs?: number, leaveMs?: number): Promise<void>;
}

/** The current bundle, and how it was loaded. */
export interface BundleFigures {
  readonly state: BundleState;
  readonly swaps: SwapFigures;
}

/** The parts that the worker processes of a gateway share. */
export interface SharedParts {
  /** The session store, unless the bundle names one. */
  readonly sessions: SharedSessions;
  /** Token buckets of limits that need no Redis. */
  readonly buckets: () => TokenBuckets;
  /** The receiver of requests' records. */
  readonly records: RecordTaker;
  /** The service that embeds the texts of tools for all processes. */
  readonly embeddingSource: (plan: EmbeddingPlan) => EmbeddingSource;
  /** The metrics of all processes. */
  readonly metrics: () => Promise<readonly Metric[]>;
  /** Requests wait while the gate is closed, that is, while `opened` is a promise. */
  readonly gate: { readonly opened: Promise<void> | undefined };
}

/**
 * Opens a loaded gateway, which serves no client until it listens.
 *
 * @param figures data for the metrics that this process sends, and serves at the address for clients
 * @param parts empty for a gateway with a single process
 * @throws BundleError for a bundle that must not be served
 */
export function openGateway(
  loaded: LoadedBundle,
  options: RuntimeOptions,
  log: Logger,
  figures: BundleFigures,
  parts?: SharedParts,
): Promise<OpenGateway> {
  return openAll(async undo => {
    const { host, port = GATEWAY_PORT } = options.listen;
    const setLogLevel = logLevelSetter(log);
    setLogLevel(loaded.bundle);
    const authorizer = openAuthorizer(loaded, log);
    const authServer = await ActiveAuthServer.open(loaded, log, options.denial);
    undo.add(() => authServer.close());
    const callers = new ActiveAuthenticator(openGatewayPolicy(loaded, host, log, authServer));
    undo.add(() => callers.close());
    const stateFolder = stateFolderOf(options.stateDir, loaded.bundle);
    const { denial, firstListWaitMs } = options;
    const { buckets, embeddingSource } = parts ?? {};
    const core = { denial, buckets, embeddingSource, stateFolder, firstListWaitMs, log };
    const gateway = await openCore(loaded, authorizer, core);
    undo.add(() => gateway.close());
    (await prepareLimits(loaded, gateway)).use();
    const audit = await openAudit(loaded, log, parts?.records);
    undo.add(() => audit.close());
    const store = await openStore(loaded, log);
    undo.add(() => store?.close());
    let isStopping = false;
    const waiting = new WaitingSessions();
    const shared = store?.sessions ?? parts?.sessions;
    gateway.workflows.waiting.store = shared;
    if (shared !== undefined) gateway.seals = new SealKeys(shared);
    const handler = createRequestHandler(gateway, waiting, shared);
    const { allowedOrigins = [] } = options;
    const unread = new UnreadBytes();
    const observer = new RequestObserver();
    const refusals = new Map<number, number>();
    const onRefused = (status: number) => void refusals.set(status, (refusals.get(status) ?? 0) + 1);
    const edge = { log, allowedOrigins, authenticator: callers, unread, onRefused, audit };
    const statelessCalls = createStatelessHandler(gateway, shared);
    const stateless = observer.observeStateless(statelessCalls);
    const endpoint = createMcpEndpoint(observer.observeSessions(handler, 'streamable-http'), stateless, {
      ...edge,
      shared,
      onHanded: message => void sse.receive(message),
    });
    undo.add(() => endpoint.close());
    const sse: SseEndpoint = createSseEndpoint(
      observer.observeSessions(createRequestHandler(gateway, waiting), 'sse'),
      {
        ...edge,
        messagesPath: MESSAGES_PATH.slice(1),
        shared,
      },
    );
    undo.add(() => sse.close());
    const isReady = () => gateway.isSettled && !isStopping;
    const streams = () => ({
      unreadBytes: unread.bytes,
      keptBytes: endpoint.keptBytes,
      brokenStreams: unread.brokenStreams,
    });
    const metrics = (state: BundleState, swaps: SwapFigures): readonly Metric[] =>
      listGatewayMetrics({
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
        isStoreReady: store?.health.isReady ?? true,
        providers: callers.status(),
        audit: audit.totals,
        authServer: authServer.metrics(),
        telemetry: telemetry.metrics(audit.exported),
      });
    const metricsNow = () => metrics(figures.state, figures.swaps);
    const telemetry: ServedTelemetry = new ServedTelemetry({
      server: {
        namespace: loaded.bundle.namespace,
        attributes: { 'mcp.server.name': loaded.bundle.name },
        metrics: metricsNow,
      },
      page: createMetricsRoute(parts?.metrics ?? metricsNow),
      host: parts === undefined ? host : undefined,
      log,
      onUse: (plan, spans) => {
        const useLegacyAttributes = plan?.useLegacyAttributes ?? true;
        observer.useLegacyAttributes = useLegacyAttributes;
        gateway.tracing = spans && new WorkSpans(spans);
        observer.tracing =
          spans &&
          new OtlpTracing(spans, {
            server: loaded.bundle.name,
            useLegacyAttributes,
            backend: name => buildBackendAttributes(gateway, name),
            limits: () => limitAttributes(gateway),
          });
      },
    });
    undo.add(() => telemetry.close());
    (await telemetry.prepare(loaded)).use();
    const routes: ReadonlyMap<string, Route> = new Map([
      [MCP_PATH, endpoint.handle],
      [SSE_PATH, sse.stream],
      [MESSAGES_PATH, sse.messages],
    ]);
    const findRoute = (path: string) =>
      routes.get(path) ??
      (path === METRICS_PATH ? telemetry.mainPage : undefined) ??
      callers.route(path) ??
      authServer.route(path);
    const served = {
      routes: { get: parts === undefined ? findRoute : guardRoutes(parts.gate, findRoute) },
      log,
      onRequest: (req: IncomingMessage, res: ServerResponse) => audit.begin(req, res),
      onDrain: () => {
        endpoint.endStreams();
        sse.endStreams();
      },
    };
    let mcp: HandedListener | undefined;
    return {
      get isReady() {
        return isReady();
      },
      settled: gateway.settled(),
      get ownSessions() {
        return gateway.sessions.size - endpoint.sessionCount;
      },
      listSessionKeys: () => endpoint.listSessionKeys(),
      listen: async () => {
        const listener = await listen('--host/--port', { host, port }, served);
        mcp = listener;
        return `${formatUrl(host, listener.address.port)}${MCP_PATH}`;
      },
      takeConnections: () => {
        const listener = startHanded(served);
        mcp = listener;
        return connection => listener.take(connection);
      },
      start: () => void gateway.start(),
      status: state =>
        buildStatusPage(
          gateway,
          describeStartOptions(options),
          state,
          callers.status(),
          streams(),
          store?.health,
          audit.status,
          authServer.status(),
        ),
      metrics,
      prepare: async next => {
        const renewStreams = () => {
          endpoint.renewStreams();
          sse.endStreams();
        };
        const prepared = await prepareSwap(
          next,
          host,
          { gateway, callers, authServer, audit, telemetry, renewStreams },
          log,
        );
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
      stop: async (drainMs, leaveMs) => {
        isStopping = true;
        await Promise.all([mcp?.close(drainMs, leaveMs), statelessCalls.drained(drainMs ?? DRAIN_MS)]);
        statelessCalls.close();
        endpoint.close();
        sse.close();
        await gateway.waitForSessions(drainMs ?? DRAIN_MS); // Other replicas get the last answers through the store, so it is closed afterwards.
        store?.close();
        await audit.close(); // Closed after the last request has written its record.
        await Promise.all([gateway.close(), callers.close(), telemetry.close(), authServer.close()]);
      },
    };
  });
}

/** Lets requests wait while the gate is closed, so that no request starts under a bundle that is being replaced. */
function guardRoutes(gate: SharedParts['gate'], routeOf: (path: string) => Route | undefined) {
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

/** Returns a function that sets the log level: `debug` if the bundle sets it, otherwise the level at the start of the process. */
function logLevelSetter(log: Logger): (bundle: GatewayBundle) => void {
  const { level } = log;
  return bundle => {
    log.level = bundle.operational.logLevel === 'debug' ? 'debug' : level;
  };
}
