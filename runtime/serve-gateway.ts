/** A gateway as a process: both listeners, the gateway behind them, and the swap when the bundle changes. */
import {
  canonicalJson,
  GATEWAY_PORT,
  type GatewayBundle,
  MCP_PATH,
  MESSAGES_PATH,
  type PrivateDenial,
  SSE_PATH,
  VERSION,
} from '#schemas';
import type { Authorizer } from './auth/authorization/authorizer.ts';
import { PolicyError } from './auth/authorization/cedar-engine.ts';
import { createAuthorizer } from './auth/authorization/create-authorizer.ts';
import { SecretError } from './auth/secrets.ts';
import { BundleError } from './bundle/bundle-error.ts';
import { type LoadedBundle, loadGateway } from './bundle/load.ts';
import { BundleSlot } from './bundle/slot.ts';
import { watchBundle } from './bundle/watch.ts';
import { Callers, openGatewayPolicy } from './callers.ts';
import { Gateway } from './gateway/gateway.ts';
import type { PreparedLimits } from './gateway/limits/rate-limits.ts';
import { CredentialPlanError } from './gateway/open-credentials.ts';
import { createRequestHandler } from './gateway/requests.ts';
import { createStatelessHandler } from './gateway/stateless/requests.ts';
import { WaitingSessions } from './gateway/waiting-sessions.ts';
import { internalRoutes } from './http/internal-routes.ts';
import { listen, urlOf } from './http/listen.ts';
import type { Listener, Route } from './http/listener.ts';
import { createSseEndpoint } from './mcp/sse/sse-endpoint.ts';
import { createMcpEndpoint } from './mcp/streamable-http.ts';
import { UnreadBytes } from './mcp/unread-bytes.ts';
import { AuditLog } from './observe/audit/audit-log.ts';
import { readAuditWriting } from './observe/audit/settings.ts';
import { gatewayMetrics } from './observe/gateway-metrics.ts';
import type { Logger } from './observe/log.ts';
import { RequestObserver } from './observe/requests/observed-handlers.ts';
import { statusPage } from './observe/status.ts';
import { SwapCounts } from './observe/swap-counts.ts';
import type { RuntimeOptions } from './options.ts';
import { RedisError } from './redis/redis-error.ts';
import type { RunningRuntime } from './running-runtime.ts';
import type { SessionStoreHandle } from './shared-sessions/open.ts';

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
  const { host, port = GATEWAY_PORT } = options.listen;
  const setLogLevel = logLevelSetter(log);
  setLogLevel(loaded.bundle);
  const authorizer = authorizerOf(loaded, log);
  const callers = new Callers(openGatewayPolicy(loaded, host, log));
  const gateway = await gatewayOf(loaded, authorizer, options.denial, log).catch(async error => {
    await callers.close();
    throw error;
  });
  const audit = await openAudit(loaded, log).catch(async error => {
    await Promise.all([callers.close(), gateway.close()]);
    throw error;
  });
  const running = new BundleSlot(loaded, log);
  let isStopping = false;

  const store = await storeOf(loaded, log).catch(async error => {
    await Promise.all([gateway.close(), callers.close(), audit.close()]);
    throw error;
  });
  const waiting = new WaitingSessions();
  const handler = createRequestHandler(gateway, waiting, store?.sessions);
  const { allowedOrigins = [] } = options;
  const unread = new UnreadBytes();
  const observer = new RequestObserver();
  const swaps = new SwapCounts();
  const refusals = new Map<number, number>();
  const onRefused = (status: number) => void refusals.set(status, (refusals.get(status) ?? 0) + 1);
  const edge = { log, allowedOrigins, authenticator: callers, unread, onRefused, audit };
  const stateless = observer.ofStateless(createStatelessHandler(gateway));
  const endpoint = createMcpEndpoint(observer.ofSessions(handler, 'streamable-http'), stateless, {
    ...edge,
    shared: store?.sessions,
  });
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
  const metrics = () =>
    gatewayMetrics({
      gateway,
      state: running,
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
    });
  const routes: ReadonlyMap<string, Route> = new Map([
    [MCP_PATH, endpoint.handle],
    [SSE_PATH, sse.stream],
    [MESSAGES_PATH, sse.messages],
  ]);
  let mcp: Listener | undefined;
  let internal: Listener | undefined;
  try {
    mcp = await listen(
      '--host/--port',
      { host, port },
      {
        routes: { get: path => routes.get(path) ?? callers.route(path) },
        log,
        onRequest: (req, res) => audit.begin(req, res),
        onDrain: () => {
          endpoint.endStreams();
          sse.endStreams();
        },
      },
    );
    internal = await listen('--internal-address', options.internal, {
      routes: internalRoutes({
        ready: isReady,
        version: () => ({ version: VERSION, digest: running.digest }),
        status: () => statusPage(gateway, running, callers.status(), streams(), store?.health, audit.status),
        metrics,
      }),
      log,
    });
  } catch (error) {
    endpoint.close();
    sse.close();
    store?.close();
    await Promise.all([mcp?.close(0), gateway.close(), callers.close()]);
    await audit.close(); // The last of the requests are recorded.
    throw error;
  }

  void gateway.start();
  const stopWatching = options.watch
    ? watchBundle(options.bundle, async () => {
        const renewStreams = () => {
          endpoint.renewStreams();
          sse.endStreams();
        };
        const startedAt = performance.now();
        const { digest } = running;
        const isServed = await running.renew(
          () => loadGateway(options.bundle, options),
          next => activate(next, host, { gateway, callers, audit, renewStreams }, log),
        );
        if (!isServed) swaps.refused++;
        else if (running.digest !== digest) swaps.served(startedAt);
        setLogLevel(gateway.bundle);
        return isServed;
      })
    : async () => {};
  const [mcpListener, internalListener] = [mcp, internal];
  return {
    url: `${urlOf(mcp, host)}${MCP_PATH}`,
    internalUrl: urlOf(internal, options.internal.host),
    kind: 'gateway',
    digest: loaded.digest,
    registries: {},
    name: `${loaded.bundle.namespace}/${loaded.bundle.name}`,
    stop: async () => {
      isStopping = true;
      await stopWatching();
      await mcpListener.close();
      endpoint.close();
      sse.close();
      store?.close();
      await audit.close();
      await Promise.all([internalListener.close(0), gateway.close(), callers.close()]);
    },
  };
}

/** What a swap changes. */
interface Served {
  readonly gateway: Gateway;
  readonly callers: Callers;
  readonly audit: AuditLog;
  /** Ends what clients keep open to listen. */
  readonly renewStreams: () => void;
}

/** @throws BundleError and leaves the running bundle as it is */
async function activate(
  next: LoadedBundle,
  host: string,
  { gateway, callers, audit, renewStreams }: Served,
  log: Logger,
): Promise<void> {
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
  const recording = await prepareAudit(audit, next).catch(async error => {
    limits.discard();
    await policy?.close();
    throw error;
  });
  const onSwap = () => {
    if (policy !== undefined) callers.replace(policy);
    limits.use();
    recording.apply();
  };
  await gateway.activate(bundle, authorizer, onSwap).catch(async error => {
    limits.discard();
    await Promise.all([policy?.close(), recording.cancel()]);
    throw bundleErrorOf(next, error);
  });
  if (policy !== undefined) renewStreams(); // Those who listen have to get in anew.
}

/** @throws BundleError for an audit log that cannot be written, AuditSettingError */
async function openAudit(loaded: LoadedBundle, log: Logger): Promise<AuditLog> {
  const audit = new AuditLog({ ...readAuditWriting(process.env), log });
  (await prepareAudit(audit, loaded)).apply();
  return audit;
}

/** @throws BundleError */
async function prepareAudit(
  audit: AuditLog,
  { bundle, digest, file }: LoadedBundle,
): Promise<Awaited<ReturnType<AuditLog['prepare']>>> {
  try {
    return await audit.prepare(bundle.audit, digest);
  } catch (error) {
    throw new BundleError(file, `the audit log cannot be written: ${(error as Error).message}`);
  }
}

/** @throws BundleError for backends whose credentials can never be had, and for limits whose Redis does not answer */
async function gatewayOf(
  loaded: LoadedBundle,
  authorizer: Authorizer,
  denial: PrivateDenial | undefined,
  log: Logger,
): Promise<Gateway> {
  let gateway: Gateway;
  try {
    gateway = await Gateway.open(loaded.bundle, authorizer, { version: VERSION, log, denial });
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
