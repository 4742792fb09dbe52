/** From a backend's plan to a session. */
import type { BackendPlan } from '#schemas';
import type { HttpClient } from '../../../http/client.ts';
import { toHttpTarget } from '../../../http/exchange.ts';
import { type ClientTraits, OURSELVES } from '../../../mcp/client-traits.ts';
import type { Logger } from '../../../observe/log.ts';
import type { BackendSession } from '../backend.ts';
import { RECONNECT_LIMITS, type ReconnectLimits } from '../backoff.ts';
import type { BackendContext, SentCredential, SharedBackendSession } from '../context.ts';
import type { ClientInfo } from '../handshake.ts';
import { SessionReplay } from '../session-replay.ts';
import { SseSession } from '../sse/sse.ts';
import type { KnownTools } from '../stateless/new-headers.ts';
import { StreamResponses } from '../stream-responses.ts';
import { BackendEra } from './era.ts';
import { EraSwitchingSession } from './era-switching-session.ts';

export interface BackendSessionOptions {
  readonly log: Logger;
  /** Our own version: sent to the backend in `initialize` and `User-Agent`. */
  readonly version: string;
  /** The client for which the session is opened; the backend may ask for what this client supports. Default: nothing. */
  readonly caller?: ClientTraits;
  /** From which level on the caller wants logs: sent to the backend before anything else. Default: as the backend likes. */
  readonly logLevel?: string | undefined;
  /** Who we say we are. Default: `lintel` and `version`. */
  readonly clientInfo?: ClientInfo;
  /** The owner of the credential that `client` sends, where the plan has one. Default: none. */
  readonly credentialOwner?: SentCredential['owner'];
  /** Sent with every request. Default: none. */
  readonly headers?: BackendContext['headers'];
  /** What is known about the backend's way of speaking MCP; shared by all sessions with it. Default: nothing yet. */
  readonly era?: BackendEra;
  /** How the backend answers the GET of its standing stream; shared by all sessions with it. Default: nothing known yet. */
  readonly streamAnswers?: StreamResponses;
  /** The session is on behalf of a client that has one itself, and is opened where the backend opens any. Default: false. */
  readonly prefersSessions?: boolean;
  /** Waits between reconnections of the standing stream. Default: 1 s growing to 30 s. */
  readonly reconnect?: ReconnectLimits;
  /** The same session for all replicas. Default: each has its own. */
  readonly shared?: SharedBackendSession | undefined;
  /** What is known of the backend's tools, for calls that it refuses for their headers. Default: nothing. */
  readonly tools?: KnownTools;
}

/** A session that knows whose it is: the name goes into errors. */
export type NamedBackendSession = BackendSession & { readonly backend: string };

/**
 * A session with the backend of `plan`: HTTP+SSE when the plan says so, else whichever way the backend turns out to speak. Nothing is sent before the first use. Sessions with one
 * backend share `client`, which must be made with the plan's `addresses` and `caPem`; closing it is the caller's.
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
