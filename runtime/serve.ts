/** One process, one bundle: both listeners, the gateway behind them, and the swap when the bundle changes. */
import { canonicalJson, type GatewayBundle, MCP_PATH, MESSAGES_PATH, SSE_PATH, VERSION } from '#schemas';
import type { Authorizer } from './auth/authorization/authorizer.ts';
import { PolicyError } from './auth/authorization/cedar-engine.ts';
import { createAuthorizer } from './auth/authorization/create-authorizer.ts';
import { BundleError, type LoadedBundle, loadBundle } from './bundle/load.ts';
import { type SecurityPart, staleSecurity } from './bundle/stale-security.ts';
import { watchBundle } from './bundle/watch.ts';
import { Callers, openCallerPolicy } from './callers.ts';
import { Gateway } from './gateway/gateway.ts';
import { CredentialPlanError } from './gateway/open-credentials.ts';
import { createRequestHandler } from './gateway/requests.ts';
import { createStatelessHandler } from './gateway/stateless/requests.ts';
import { internalRoutes } from './http/internal-routes.ts';
import { type Listener, type Route, startListener } from './http/listener.ts';
import { createSseEndpoint } from './mcp/sse/sse-endpoint.ts';
import { createMcpEndpoint } from './mcp/streamable-http.ts';
import type { Logger } from './observe/log.ts';
import { statusPage } from './observe/status.ts';
import type { Address, RuntimeOptions } from './options.ts';

export interface RunningRuntime {
  /** URL of the MCP endpoint, with the port that was bound. */
  readonly url: string;
  /** URL of the internal address. */
  readonly internalUrl: string;
  readonly digest: string;
  /** `namespace/name`. */
  readonly gateway: string;
  /** Drains: running requests may finish, streams end, then everything closes. */
  stop(): Promise<void>;
}

/** An address cannot be bound; the message names the flag that changes it. */
export class ListenError extends Error {}

/**
 * Loads the bundle and serves it until `stop`.
 *
 * @throws BundleError for a bundle that must not be served, ListenError for an address that cannot be bound
 */
export async function serve(options: RuntimeOptions, log: Logger): Promise<RunningRuntime> {
  const loaded = await loadBundle(options.bundle, options.gateway);
  const setLogLevel = logLevelSetter(log);
  setLogLevel(loaded.bundle);
  const authorizer = authorizerOf(loaded, log);
  const callers = new Callers(openCallerPolicy(loaded, options.listen.host, log));
  const gateway = await gatewayOf(loaded, authorizer, log).catch(async error => {
    await callers.close();
    throw error;
  });
  const running = new BundleSlot(loaded);
  let isStopping = false;

  const handler = createRequestHandler(gateway);
  const { allowedOrigins = [] } = options;
  const edge = { log, allowedOrigins, authenticator: callers };
  const endpoint = createMcpEndpoint(handler, createStatelessHandler(gateway), edge);
  const sse = createSseEndpoint(handler, { ...edge, messagesPath: MESSAGES_PATH.slice(1) });
  const routes: ReadonlyMap<string, Route> = new Map([
    [MCP_PATH, endpoint.handle],
    [SSE_PATH, sse.stream],
    [MESSAGES_PATH, sse.messages],
  ]);
  let mcp: Listener | undefined;
  let internal: Listener | undefined;
  try {
    mcp = await listen('--host/--port', options.listen, {
      routes: { get: path => routes.get(path) ?? callers.route(path) },
      log,
      onDrain: () => {
        endpoint.endStreams();
        sse.endStreams();
      },
    });
    internal = await listen('--internal-address', options.internal, {
      routes: internalRoutes({
        ready: () => gateway.isSettled && !isStopping,
        version: () => ({ version: VERSION, digest: running.digest }),
        status: () => statusPage(gateway, running, callers.status()),
      }),
      log,
    });
  } catch (error) {
    endpoint.close();
    sse.close();
    await Promise.all([mcp?.close(0), gateway.close(), callers.close()]);
    throw error;
  }

  void gateway.start();
  const stopWatching = options.watch
    ? watchBundle(options.bundle, async () => {
        const renewStreams = () => {
          endpoint.renewStreams();
          sse.endStreams();
        };
        const isServed = await swap(options, { gateway, callers, running, renewStreams }, log);
        setLogLevel(gateway.bundle);
        return isServed;
      })
    : async () => {};
  const [mcpListener, internalListener] = [mcp, internal];
  return {
    url: `${urlOf(mcp, options.listen.host)}${MCP_PATH}`,
    internalUrl: urlOf(internal, options.internal.host),
    digest: loaded.digest,
    gateway: `${loaded.bundle.namespace}/${loaded.bundle.name}`,
    stop: async () => {
      isStopping = true;
      await stopWatching();
      await mcpListener.close();
      endpoint.close();
      sse.close();
      await Promise.all([internalListener.close(0), gateway.close(), callers.close()]);
    },
  };
}

/** Which bundle runs, and why a newer one does not. */
class BundleSlot {
  digest: string;
  refused: string | null = null;
  staleSecurity: readonly SecurityPart[] = [];

  constructor({ digest }: LoadedBundle) {
    this.digest = digest;
  }
}

/** What a swap changes. */
interface Served {
  readonly gateway: Gateway;
  readonly callers: Callers;
  readonly running: BundleSlot;
  /** Ends what clients keep open to listen. */
  readonly renewStreams: () => void;
}

/** Replaces the running bundle by what is at the path now. Whatever is wrong with that, the running one stays: false. */
async function swap(
  options: RuntimeOptions,
  { gateway, callers, running, renewStreams }: Served,
  log: Logger,
): Promise<boolean> {
  let found: GatewayBundle | undefined;
  try {
    const loaded = await loadBundle(options.bundle, options.gateway);
    const { bundle, digest } = loaded;
    found = bundle;
    if (digest !== running.digest) {
      const isSamePolicy = canonicalJson(bundle.authorization) === canonicalJson(gateway.bundle.authorization);
      const authorizer = isSamePolicy ? gateway.authorizer : authorizerOf(loaded, log);
      const policy = callers.isSame(bundle.incomingAuth)
        ? undefined
        : openCallerPolicy(loaded, options.listen.host, log);
      await gateway.activate(bundle, authorizer).catch(async error => {
        await policy?.close();
        throw bundleErrorOf(loaded, error);
      });
      if (policy !== undefined) {
        callers.replace(policy);
        renewStreams(); // Those who listen have to get in anew.
      }
      running.digest = digest;
      log.info({ digest }, 'serving a new bundle');
    }
    running.refused = null;
    running.staleSecurity = [];
    return true;
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof BundleError) found ??= error.bundle;
    running.staleSecurity = staleSecurity(gateway.bundle, found);
    if (message !== running.refused) {
      const { digest, staleSecurity } = running;
      log.error({ digest, staleSecurity }, `the new bundle is refused, the running one stays: ${message}`);
    }
    running.refused = message;
    return false;
  }
}

/** @throws BundleError for backends whose credentials can never be had */
async function gatewayOf(loaded: LoadedBundle, authorizer: Authorizer, log: Logger): Promise<Gateway> {
  try {
    return await Gateway.open(loaded.bundle, authorizer, { version: VERSION, log });
  } catch (error) {
    throw bundleErrorOf(loaded, error);
  }
}

function bundleErrorOf({ file }: LoadedBundle, error: unknown): unknown {
  return error instanceof CredentialPlanError ? new BundleError(file, error.message) : error;
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

async function listen(
  flag: string,
  { host, port }: Address,
  options: Omit<Parameters<typeof startListener>[0], 'host' | 'port'>,
): Promise<Listener> {
  try {
    return await startListener({ ...options, host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const cause = code === 'EADDRINUSE' ? 'the address is in use' : (error as Error).message;
    throw new ListenError(`cannot listen on ${bracketed(host)}:${port}: ${cause}; choose another with ${flag}`);
  }
}

function urlOf({ address }: Listener, host: string): string {
  return `http://${bracketed(host)}:${address.port}`;
}

/** A host as it stands before a port: IPv6 addresses have colons of their own. */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
