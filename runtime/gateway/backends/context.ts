/** The shared context of a backend's connections. */

import type { OutgoingAuthPlan } from '#schemas';
import type { HttpClient } from '../../http/client.ts';
import type { HttpTarget } from '../../http/exchange.ts';
import type { ClientTraits } from '../../mcp/client-traits.ts';
import type { Logger } from '../../observe/log.ts';
import type { SavedBackendSession } from './backend.ts';
import type { ReconnectLimits } from './backoff.ts';
import type { ClientInfo } from './handshake.ts';
import type { KnownTools } from './known-tools.ts';
import type { StreamResponses } from './stream-responses.ts';

/** The sender of a session's requests, as its credential identifies it. */
export interface SentCredential {
  readonly strategy: OutgoingAuthPlan['type'];
  /** The owner of the credential that a request carries; `nobody` without a credential. */
  readonly owner: 'caller' | 'gateway' | 'nobody';
}

export interface BackendContext {
  readonly backend: string;
  readonly credential: SentCredential;
  readonly client: HttpClient;
  readonly target: HttpTarget;
  /** Inactivity timeout of a response, in milliseconds. */
  readonly timeoutMs: number;
  /** Timeout of each probe for the backend's era, in milliseconds; at most `timeoutMs` applies. */
  readonly eraProbeMs?: number | undefined;
  readonly clientInfo: ClientInfo;
  /** The client that the session is for. */
  readonly caller: ClientTraits;
  /** Headers that are sent with every request, in addition to those that the protocol needs. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly reconnect: ReconnectLimits;
  /** Whether a session is preferred to stateless requests, at a backend that supports both. */
  readonly prefersSessions: boolean;
  /** How the backend answers the GET of its standing stream. */
  readonly streamAnswers: StreamResponses;
  /** The known tools of the backend; without them, a stateless backend's refusal because of headers is final. */
  readonly tools?: KnownTools | undefined;
  readonly log: Logger;
  /** The session that all replicas share. Without it each replica has its own. */
  readonly shared?: SharedBackendSession | undefined;
}

/** A backend session that was opened once for all replicas. */
export interface SharedBackendSession {
  /** Finds the session that replicas share; undefined when there is none. Rejects when that cannot be determined. */
  find(): Promise<SavedBackendSession | undefined>;
  /**
   * Shares a newly opened session, and returns the one to use: another replica may have been faster.
   * @param instead the session that the backend lost
   */
  save(opened: SavedBackendSession, instead: SavedBackendSession | undefined): Promise<SavedBackendSession>;
  /** The number of this replica. */
  readonly replica: number;
  /** Stops sharing a saved session: the next call that needs one opens another. Never rejects. */
  release(saved: SavedBackendSession): Promise<void>;
  /** Notifies another replica, or all with the client's session, about a stream. False when the replica is dead or unreachable. */
  send(to: number | 'others', message: StreamMessage): Promise<boolean>;
  /** Receives messages of other replicas about a stream, until the returned function is called. */
  onMessage(stream: string, listener: (message: StreamMessage, from: number) => void): () => void;
  /** Whether a replica is alive. Rejects when that cannot be determined. */
  isAlive(replica: number): Promise<boolean>;
}

/**
 * The messages of replicas about the one stream of a session over HTTP+SSE. To the replica that has the stream: `listens` and `listens-not`
 * (whether the client's stream is open), `expects` and `expects-not` (whether an answer is awaited), `answered` (the client answered a
 * question). To the other replicas: `heard` (a message of the backend), `asked` and `answered` (a question, and its answer), `left` (the
 * stream will end after the awaited answers), `lost`.
 */
export type StreamMessageKind =
  | 'listens'
  | 'listens-not'
  | 'expects'
  | 'expects-not'
  | 'heard'
  | 'asked'
  | 'answered'
  | 'left'
  | 'lost';

export interface StreamMessage {
  readonly kind: StreamMessageKind;
  /** The name of the stream, which does not reveal its URL. */
  readonly stream: string;
  /** The id of a request, in the notation of `findMessageKind`. */
  readonly id?: string | undefined;
  /** The progress token of an expected request, in canonical notation. */
  readonly token?: string | undefined;
  /** The message of the backend. */
  readonly json?: string | undefined;
}

/** How long a client may take to answer a backend's question while the backend's response waits; milliseconds. */
export const CLIENT_MS: number = 10 * 60_000;

/** Headers of a POST before a session is open; names and values alternate. */
export function postHeaders(context: BackendContext): string[] {
  return [
    'accept',
    'application/json, text/event-stream',
    'content-type',
    'application/json',
    ...buildRequestHeaders(context),
  ];
}

/** Headers of a GET that opens an event stream; names and values alternate. */
export function buildStreamHeaders(context: BackendContext): string[] {
  return ['accept', 'text/event-stream', 'cache-control', 'no-cache', ...buildRequestHeaders(context)];
}

/** Headers that requests set or may set themselves; a backend's configured headers never replace these. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'cache-control',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'user-agent',
]);

/** A header that the gateway sets itself. */
function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.has(name.toLowerCase());
}

/** The gateway's own headers, and the backend's configured ones; names and values alternate. */
export function buildRequestHeaders({ clientInfo, headers }: BackendContext): string[] {
  const added = headers.filter(({ name }) => !isOwnHeader(name));
  return ['user-agent', `lintel/${clientInfo.version}`, ...added.flatMap(({ name, value }) => [name, value])];
}

/** The media type of a `content-type`, in lower case and without parameters. */
export function getMediaType(contentType: string | undefined): string {
  if (contentType === 'application/json' || contentType === 'text/event-stream') return contentType;
  return (contentType?.split(';', 1)[0] ?? '').trim().toLowerCase();
}
