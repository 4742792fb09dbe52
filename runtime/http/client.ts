/**
 * The only module that opens outgoing HTTP connections: address guard, trust, pool, limits. Code that sends requests gets an `HttpClient`,
 * and uses `startExchange` (`exchange.ts`).
 */
import { type LookupAddress, type LookupOptions, lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type AddressPolicy, findRefusedAddress, findRefusedHost, type PrivateDenial, type TrustPlan } from '#schemas';
import { AddressRefusedError } from './address-refused-error.ts';
import type { AuthorityFile } from './authority-file.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';
import { InFlightBudget } from './in-flight-budget.ts';
import { OriginPools } from './origin-pools.ts';
import { createTrustingConnector } from './tls-trust.ts';
import { buildConnector, type Dispatcher } from './undici.ts';

/** Limit on one answer of a backend: 100 MB. */
const MAX_RESPONSE_BYTES: number = 100 * 1024 * 1024;

/** Default for the number of connections to one origin in each pool, and for the number of calls that run at the same time. */
const DEFAULT_CONNECTIONS = 64;

const CONNECT_TIMEOUT_MS = 10_000;

export interface HttpClientOptions {
  /** The permitted addresses; checked for every connection when it is opened. */
  readonly addresses: AddressPolicy;
  /** The operator's denial of private addresses. Default: `addresses` decides about them. */
  readonly denial?: PrivateDenial | undefined;
  /** The trusted certificate authorities. Default: the usual ones. */
  readonly trust?: TrustPlan;
  /** The file that `trust` names, which all clients that share it watch together. Default: the client's own. */
  readonly authorities?: AuthorityFile | undefined;
  /** Limit on one answer, in bytes. Default: `MAX_RESPONSE_BYTES`. */
  readonly maxResponseBytes?: number;
  /** Maximum number of connections per origin for requests, and as many for notices; further requests wait. Default 64. */
  readonly connections?: number;
}

/** Sends requests: a connection pool, or a layer on top of a pool. */
export interface RequestSender {
  dispatch(options: SentRequest, handler: Dispatcher.DispatchHandler): boolean;
}

/** `sender`: the sender of the request, for the code that adds credentials. */
export type SentRequest = Dispatcher.DispatchOptions & { readonly sender?: object | undefined };

/** The connection pools to one backend or service, with their rules. All sessions with a backend share one client, which outlives them. */
export interface HttpClient {
  readonly maxResponseBytes: number;
  /** For requests whose answers end, such as those that open a session with a backend. Requests of clients do not use this pool. */
  readonly requests: RequestSender;
  /**
   * For requests that may wait for something other than the server's work, such as a person's answer. The sender first takes a turn from `turns`,
   * which does not count such waiting requests. The pool itself has no limit.
   */
  readonly calls: RequestSender;
  readonly turns: ConcurrencyLimiter;
  /** The texts of unanswered requests, and of unacknowledged messages and notices. */
  readonly texts: InFlightBudget;
  /**
   * For streams that stay open (MCP's standing streams). A separate pool with one connection per stream and without a limit: in a shared one, 64
   * idle streams would leave no connection for requests.
   */
  readonly streams: RequestSender;
  /**
   * For messages that the server only acknowledges and that another request waits for: responses, cancellations, the end of a session. A separate
   * pool, because a cancellation must not wait behind the requests that hang. It has no limit, so that a server that does not acknowledge one
   * client's messages does not block other clients; the limits on questions and calls also limit these messages.
   */
  readonly messages: RequestSender;
  /** For unsolicited messages of clients, such as notifications. A server may acknowledge them slowly, and other messages must not wait for that. */
  readonly notices: RequestSender;
  /** Closes every connection. Running requests fail. */
  close(): Promise<void>;
}

/**
 * A client whose every connection obeys the options. It never follows a redirect by itself. Security: the address is checked when a connection
 * is opened, never earlier, and all addresses of a name are checked together, so that a name with one permitted and one forbidden address is
 * refused.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const connect = createGuardedConnector(options);
  // No time limits here: the code that sends a request sets them, because only that code knows what counts as progress.
  const shared = { connect, allowH2: false, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 } as const;
  const connections = options.connections ?? DEFAULT_CONNECTIONS;
  const requests = new OriginPools({ ...shared, connections });
  const messages = new OriginPools(shared);
  const notices = new OriginPools({ ...shared, connections });
  const streams = new OriginPools(shared);
  const calls = new OriginPools(shared);
  return {
    maxResponseBytes: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    requests,
    calls,
    turns: new ConcurrencyLimiter(connections),
    texts: new InFlightBudget(),
    streams,
    messages,
    notices,
    async close() {
      await Promise.all([requests, calls, streams, messages, notices].map(pools => pools.destroy()));
    },
  };
}

type Reach = Pick<HttpClientOptions, 'addresses' | 'denial'>;

function createGuardedConnector({
  addresses,
  denial,
  trust,
  authorities,
}: HttpClientOptions): buildConnector.connector {
  const connect = createTrustingConnector(trust ?? { type: 'default' }, authorities, ca =>
    buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      allowH2: false,
      ...(ca === undefined ? {} : { ca }),
      lookup: createGuardedLookup({ addresses, denial }),
    } as buildConnector.BuildOptions),
  );
  return (options, callback) => {
    // Checks IP literals, which never reach `lookup`, and names; `lookup` checks the addresses of a name.
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const refusal = findRefusedHost(host, addresses, denial);
    if (refusal === undefined) connect(options, callback);
    else queueMicrotask(() => callback(new AddressRefusedError(host, refusal), null));
  };
}

/** `dns.lookup` that fails when any of the addresses is forbidden. */
export function createGuardedLookup(reach: Reach, lookup: typeof resolve = resolve): LookupFunction {
  return (hostname: string, options: LookupOptions, callback) => {
    lookup(hostname, { ...options, all: true }, (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => {
      const refused = error ?? refuse(hostname, found, reach);
      const first = found?.[0];
      if (refused !== undefined || first === undefined) callback(refused ?? createNotFoundError(hostname), '', 0);
      else if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

function refuse(hostname: string, found: readonly LookupAddress[], { addresses, denial }: Reach): Error | undefined {
  for (const { address } of found) {
    const refusal = findRefusedAddress(address, addresses, denial, hostname);
    if (refusal !== undefined) return new AddressRefusedError(`${hostname} (${address})`, refusal);
  }
  return undefined;
}

function createNotFoundError(hostname: string): Error {
  return Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' });
}
