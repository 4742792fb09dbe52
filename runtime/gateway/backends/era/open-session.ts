/** Opens a session from a backend's plan. */

import type { BackendPlan } from '#schemas';
import type { HttpClient } from '../../../http/client.ts';
import { toHttpTarget } from '../../../http/exchange.ts';
import { type ClientTraits, OURSELVES } from '../../../mcp/client-traits.ts';
import type { Logger } from '../../../observe/log.ts';
import type { NamedBackendSession } from '../backend.ts';
import { RECONNECT_LIMITS, type ReconnectLimits } from '../backoff.ts';
import type { BackendContext, SentCredential, SharedBackendSession } from '../context.ts';
import type { ClientInfo } from '../handshake.ts';
import type { KnownTools } from '../known-tools.ts';
import { SessionReplay } from '../session-replay.ts';
import { SseSession } from '../sse/sse.ts';
import { StreamResponses } from '../stream-responses.ts';
import { BackendEra } from './era.ts';
import { EraSwitchingSession } from './era-switching-session.ts';

export interface BackendSessionOptions {
  readonly log: Logger;
  /** The gateway's version: sent to the backend in `initialize` and `User-Agent`. */
  readonly version: string;
  /** The client that the session is for; the backend may send requests that this client supports. Default: a client without capabilities. */
  readonly caller?: ClientTraits;
  /** The lowest level of logs that the caller wants: sent to the backend before anything else. Default: the backend's own choice. */
  readonly logLevel?: string | undefined;
  /** The name and version that the gateway sends. Default: `lintel` and `version`. */
  readonly clientInfo?: ClientInfo;
  /** The owner of the credential that `client` sends, when the plan has a credential. Default: none. */
  readonly credentialOwner?: SentCredential['owner'];
  /** Sent with every request. Default: none. */
  readonly headers?: BackendContext['headers'];
  /** The state of the backend's era; all sessions with the backend share it. Default: nothing known yet. */
  readonly era?: BackendEra;
  /** Timeout of each probe for the backend's era, in milliseconds. Default: 3 s, because clients wait meanwhile. */
  readonly eraProbeMs?: number | undefined;
  /** How the backend answers the GET of its standing stream; all sessions with it share this. Default: nothing known yet. */
  readonly streamAnswers?: StreamResponses;
  /** The client has a session itself, so that the gateway opens one if the backend supports sessions. Default: false. */
  readonly prefersSessions?: boolean;
  /** Waits between reconnections of the standing stream. Default: 1 s growing to 30 s. */
  readonly reconnect?: ReconnectLimits;
  /** One session that all replicas share. Default: each replica has its own. */
  readonly shared?: SharedBackendSession | undefined;
  /** The known tools of the backend, for calls that it refuses because of their headers. Default: none. */
  readonly tools?: KnownTools;
}

/**
 * Creates a session with the backend of `plan`: HTTP+SSE when the plan says so, otherwise in the era that the backend turns out to support. It
 * sends nothing before the first use. Sessions with one backend share `client`; the caller must create it with the plan's `addresses` and
 * `caPem`, and closes it.
 */
export function createBackendSession(
  plan: BackendPlan,
  client: HttpClient,
  options: BackendSessionOptions,
): NamedBackendSession {
  const context: BackendContext = {
    backend: plan.name,
    credential: { strategy: plan.auth.type, owner: options.credentialOwner ?? 'nobody' },
    client,
    target: toHttpTarget(new URL(plan.url)),
    timeoutMs: plan.timeoutMs,
    eraProbeMs: options.eraProbeMs,
    caller: options.caller ?? OURSELVES,
    clientInfo: options.clientInfo ?? { name: 'lintel', version: options.version },
    headers: options.headers ?? [],
    reconnect: options.reconnect ?? RECONNECT_LIMITS,
    streamAnswers: options.streamAnswers ?? new StreamResponses(),
    prefersSessions: options.prefersSessions ?? false,
    tools: options.tools,
    shared: options.shared,
    log: options.log,
  };
  const memory = new SessionReplay(options.logLevel);
  if (plan.transport === 'sse') return new SseSession(context, memory);
  return new EraSwitchingSession(context, options.era ?? new BackendEra(), memory);
}
