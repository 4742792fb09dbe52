/** Opens a session with a backend for `lintel-runtime list` and `call`, with the address and credential that the command gives. */
import { type BackendPlan, type BackendQuery, type PrivateDenial, VERSION } from '#schemas';
import { OptionError } from '#shared/util';
import type { BackendSession } from './gateway/backends/backend.ts';
import { PROBE_MS } from './gateway/backends/era/detect-era.ts';
import { createBackendSession } from './gateway/backends/era/open-session.ts';
import { RpcError } from './gateway/backends/rpc-error.ts';
import { createHttpClient, type HttpClient } from './http/client.ts';
import { watchRefusals } from './http/refusal-watch.ts';
import { withAdditionalCa } from './http/tls-trust.ts';
import type { Logger } from './observe/log.ts';

export interface QueriedBackend {
  readonly session: BackendSession;
  /** The `WWW-Authenticate` header of the last refused request; undefined if no request was refused with this header. */
  readonly challenge: string | undefined;
  /** Ends the session and its pending requests. */
  close(): Promise<void>;
}

/**
 * The share of the time limit that each probe for the backend's era (`server/discover`) may take. It is long, because the answers are recorded, and a
 * slow stateless backend must not count as a backend with sessions. A backend that does not answer the probe still has the rest of the time.
 */
const PROBE_SHARE = 1 / 3;

/** Opens a backend. Sends nothing to it yet; if the query names an account of the gateway, the token of this account is requested. */
export async function openBackend(
  query: BackendQuery,
  denial: PrivateDenial | undefined,
  log: Logger,
): Promise<QueriedBackend> {
  const { addresses, headers, isBridge = false } = query;
  const client = createHttpClient({
    addresses,
    denial: isBridge ? undefined : denial,
    trust: withAdditionalCa(query),
  });
  const account = await openAccount(query, client, denial, log);
  let challenge: string | undefined;
  const watched = watchRefusals(account?.client ?? client, text => {
    challenge = text;
  });
  const session = createBackendSession(buildPlan(query), watched, {
    log,
    version: VERSION,
    headers,
    eraProbeMs: Math.max(PROBE_MS, query.deadlineMs * PROBE_SHARE),
  });
  return {
    session,
    get challenge() {
      return challenge;
    },
    close: async () => {
      await session.close();
      await Promise.all([client.close(), account?.close()]);
    },
  };
}

/** @param what the refused request, as the message names it. The backend's own text is not shown, because it may repeat the request */
export function describeFailure(error: unknown, what: string): string {
  if (error instanceof RpcError) return `refused ${what} (JSON-RPC error ${error.code})`;
  return (error as Error).message.replace(/^backend "[^"]*": /, '');
}

/** Adds the token of the gateway's own account to the requests of a client, if the query names an account. */
async function openAccount(
  { key, account }: BackendQuery,
  client: HttpClient,
  denial: PrivateDenial | undefined,
  log: Logger,
) {
  if (account === undefined) return undefined;
  const { createOutgoingAuth } = await import('./auth/outgoing/outgoing-auth.ts');
  const { withCredential } = await import('./auth/outgoing/credential-sender.ts');
  const secrets = { open: () => ({ value: account.secret }) };
  const auth = await createOutgoingAuth(account.plan, { backend: key, secrets, log, denial });
  const { own } = auth;
  if (own === undefined) throw new OptionError(`${key}: the account has no client`);
  return {
    client: withCredential(client, () => ({ credential: own, forwarded: () => [] })),
    close: () => auth.close(),
  };
}

function buildPlan({ key, url, transport, addresses, timeoutMs }: BackendQuery): BackendPlan {
  return {
    name: key,
    url,
    transport,
    addresses,
    timeoutMs,
    auth: { type: 'unauthenticated' },
    headers: [],
    metadata: {},
    tools: { prefix: '', advertise: { type: 'all' }, overrides: {} },
  };
}
