/** Opens the authorization server of a gateway whose bundle has one. Other gateways load none of its code. */
import { type AuthServerPlan, formatCanonicalJson, type GatewayBundle, type PrivateDenial } from '#schemas';
import { NO_UPSTREAM_TOKENS } from './auth/identity.ts';
import type { OwnIssuer } from './auth/incoming/own-issuer.ts';
import { createUnavailableError, TokenRejectedError } from './auth/incoming/token-rejected.ts';
import { SecretError, Secrets } from './auth/secrets.ts';
import type { AuthServerHost, OutgoingClient } from './authserver/host.ts';
import type { AuthServer } from './authserver/open.ts';
import { BundleError } from './bundle/bundle-error.ts';
import type { LoadedBundle } from './bundle/load.ts';
import { createHttpClient } from './http/client.ts';
import type { Route } from './http/listener.ts';
import { requestText } from './http/request-text.ts';
import { AuthServerCounts, type AuthServerEntry } from './observe/auth-server-counts.ts';
import type { Logger } from './observe/log.ts';
import type { Metric } from './observe/metrics/metric.ts';

/** Limits on one answer of an upstream: its size in bytes, and its duration in milliseconds. */
const ANSWER_LIMITS = { maxBytes: 256 * 1024, timeoutMs: 10_000 };

/** Maximum number of connections to one upstream; further requests wait. */
const CONNECTIONS = 16;

/** How long authentication uses the keys before it reads them again: operators rotate keys by changing files. */
const KEYS_FRESH_MS = 60_000;

interface OpenedServer {
  readonly server: AuthServer;
  readonly secrets: Secrets;
}

/** The authorization server of the active bundle, until another bundle replaces it. */
export class ActiveAuthServer implements OwnIssuer {
  readonly #log: Logger;
  readonly #denial: PrivateDenial | undefined;
  /** Continues when a new bundle replaces the server, because counters must never fall. */
  readonly #counts = new AuthServerCounts();
  #opened: OpenedServer | undefined;

  private constructor(log: Logger, denial: PrivateDenial | undefined) {
    this.#log = log;
    this.#denial = denial;
  }

  /**
   * @param denial refuses upstreams at private addresses
   *
   * @throws BundleError for a server that cannot be opened with the bundle's settings
   */
  static async open(loaded: LoadedBundle, log: Logger, denial?: PrivateDenial): Promise<ActiveAuthServer> {
    const activeServer = new ActiveAuthServer(log, denial);
    activeServer.#opened = await activeServer.#open(loaded, undefined);
    return activeServer;
  }

  /** The issuer; empty without an authorization server, because no provider has an empty issuer. */
  get issuer(): string {
    return this.#opened?.server.plan.issuer ?? '';
  }

  route(path: string): Route | undefined {
    return this.#opened?.server.route(path);
  }

  async keys() {
    const text = (await this.#opened?.server.keySet()) ?? '{"keys":[]}';
    // Loads the code that verifies tokens; the start does not wait for it.
    const { readKeySet } = await import('./auth/incoming/verification-keys.ts');
    return { keys: readKeySet(text, true), freshMs: KEYS_FRESH_MS };
  }

  upstreamTokens(claims: Readonly<Record<string, unknown>>) {
    const { server } = this.#opened ?? {};
    const { tsid } = claims;
    if (server?.plan.injectsUpstreamTokens !== true || typeof tsid !== 'string') return NO_UPSTREAM_TOKENS;
    return server.upstreamTokens(tsid);
  }

  ready(claims: Readonly<Record<string, unknown>>): Promise<void> | undefined {
    const { server } = this.#opened ?? {};
    const { tsid } = claims;
    if (server?.plan.injectsUpstreamTokens !== true || typeof tsid !== 'string') return undefined;
    return server.ready(tsid)?.catch((error: Error & { readonly reason?: unknown }) => {
      throw error.reason === 'ended'
        ? new TokenRejectedError('invalid', error.message)
        : createUnavailableError(error.message);
    });
  }

  status(): AuthServerEntry | undefined {
    return this.#counts.entry(this.#opened?.server.status());
  }

  metrics(): readonly Metric[] {
    return this.#counts.metrics(this.#opened?.server.status());
  }

  /**
   * Prepares the authorization server of the next bundle. Sign-ins and tokens stay valid if their keys and secrets stay in the configuration.
   *
   * @throws BundleError and leaves everything unchanged
   */
  async prepare(next: LoadedBundle): Promise<{ use(): void; discard(): void }> {
    const previous = this.#opened;
    const plan: AuthServerPlan | undefined = next.bundle.authServer;
    if (formatCanonicalJson(plan ?? null) === formatCanonicalJson(previous?.server.plan ?? null))
      return { use: () => {}, discard: () => {} };
    if (
      previous !== undefined &&
      plan !== undefined &&
      formatCanonicalJson(plan.storage) !== formatCanonicalJson(previous.server.plan.storage)
    )
      throw new BundleError(next.file, 'authServer.storage has changed: restart the process to keep its state there');
    const opened = await this.#open(next, previous);
    return {
      use: () => {
        this.#opened = opened;
        void closeOne(previous, opened !== undefined);
      },
      discard: () => void closeOne(opened, previous !== undefined),
    };
  }

  close(): Promise<void> {
    return closeOne(this.#opened, false);
  }

  async #open({ bundle, file }: LoadedBundle, previous: OpenedServer | undefined): Promise<OpenedServer | undefined> {
    const { authServer: plan } = bundle;
    if (plan === undefined) return undefined;
    const { openAuthServer } = await import('./authserver/open.ts');
    const secrets = new Secrets({ log: this.#log });
    try {
      const host = this.#createHost(secrets, bundle);
      return { server: await openAuthServer(plan, host, previous?.server.store), secrets };
    } catch (error) {
      secrets.close();
      throw error instanceof SecretError ? new BundleError(file, error.message) : error;
    }
  }

  #createHost(secrets: Secrets, { namespace, name }: GatewayBundle): AuthServerHost {
    const log = this.#log;
    const denial = this.#denial;
    return {
      log,
      observer: this.#counts,
      secrets,
      client: addresses => createOutgoingClient({ addresses, denial, connections: CONNECTIONS }),
      gateway: { namespace, name },
      redis: async plan => {
        const { Redis } = await import('./redis/redis.ts');
        return new Redis(plan, { log, use: 'the authorization server' });
      },
      matcher: async expression => {
        const { compileMatcher } = await import('./auth/outgoing/aws/cel-matcher.ts');
        return compileMatcher(expression);
      },
    };
  }
}

function createOutgoingClient(options: Parameters<typeof createHttpClient>[0]): OutgoingClient {
  const client = createHttpClient({ ...options, maxResponseBytes: ANSWER_LIMITS.maxBytes });
  return {
    request: request => requestText(client, request, ANSWER_LIMITS),
    close: () => client.close(),
  };
}

async function closeOne(opened: OpenedServer | undefined, keepsStore: boolean): Promise<void> {
  opened?.secrets.close();
  await opened?.server.close(keepsStore);
}
