/** What every part of one backend's edge needs to know. */

import type { OutgoingAuthPlan } from '#schemas';
import type { HttpClient } from '../../http/client.ts';
import type { HttpTarget } from '../../http/exchange.ts';
import type { ClientTraits } from '../../mcp/client-traits.ts';
import type { Logger } from '../../observe/log.ts';
import type { SavedBackendSession } from './backend.ts';
import type { ReconnectLimits } from './backoff.ts';
import type { ClientInfo } from './handshake.ts';
import type { KnownTools } from './stateless/new-headers.ts';
import type { StreamResponses } from './stream-responses.ts';

/** What requests of a session say about who sends them. */
export interface SentCredential {
  readonly strategy: OutgoingAuthPlan['type'];
  /** The owner of the credential; `nobody` where no credential is sent. */
  readonly owner: 'caller' | 'gateway' | 'nobody';
}

export interface BackendContext {
  readonly backend: string;
  readonly credential: SentCredential;
  readonly client: HttpClient;
  readonly target: HttpTarget;
  /** Time without a sign of an answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly clientInfo: ClientInfo;
  /** On whose behalf the session is. */
  readonly caller: ClientTraits;
  /** Sent with every request, besides what the protocol needs. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly reconnect: ReconnectLimits;
  /** Where the backend has both: a session in place of stateless requests. */
  readonly prefersSessions: boolean;
  /** The responses of backends on the standing stream. */
  readonly streamAnswers: StreamResponses;
  /** Without it, a stateless backend's refusal of a call for its headers is final. */
  readonly tools?: KnownTools | undefined;
  readonly log: Logger;
  /** The same session for all replicas. Without it each has its own. */
  readonly shared?: SharedBackendSession | undefined;
}

/** A session with a backend that was opened once for all replicas. */
export interface SharedBackendSession {
  /** Rejects when that cannot be found out. */
  find(): Promise<SavedBackendSession | undefined>;
  /**
   * Shares a session that was just opened, and gives the one that counts: another replica may have been faster.
   *
   * @param instead the one that the backend has forgotten
   */
  save(opened: SavedBackendSession, instead: SavedBackendSession | undefined): Promise<SavedBackendSession>;
  /** The number of this replica. */
  readonly replica: number;
  /** Shares a session that was saved no longer: the next call that needs one opens another. Never rejects. */
  release(saved: SavedBackendSession): Promise<void>;
  /**
   * Notifies another replica, or all that have the client's session, about a stream. False when that replica is not alive, or cannot be
   * reached.
   */
  send(to: number | 'others', message: StreamMessage): Promise<boolean>;
  /** Receives what others tell about a stream, until the function that it returns is called. */
  onMessage(stream: string, listener: (message: StreamMessage, from: number) => void): () => void;
  /** Rejects when that cannot be found out. */
  isAlive(replica: number): Promise<boolean>;
}

/**
 * The messages of replicas about the one stream of a session over HTTP+SSE. To the replica that has it: `listens` and `listens-not`
 * (there is the client's stream), `expects` and `expects-not` (an answer), `answered` (a question). To the others: `heard` (a message of the
 * backend), `asked` and `answered` (a question), `left` (the stream ends when what is expected has come), `lost`.
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
  /** The name of the stream, which tells nothing of its URL. */
  readonly stream: string;
  /** The id of a request, in the spelling of `messageKind`. */
  readonly id?: string | undefined;
  /** The progress token of a request that is expected, in the spelling that equal tokens share. */
  readonly token?: string | undefined;
  /** The message of the backend. */
  readonly json?: string | undefined;
}

/** How long a client may think about a question of the backend, which waits with its answer meanwhile; milliseconds. */
export const CLIENT_MS: number = 10 * 60_000;

/** Headers of a POST before a session is open; names and values alternate. */
export function postHeaders(context: BackendContext): string[] {
  return [
    'accept',
    'application/json, text/event-stream',
    'content-type',
    'application/json',
    ...everyRequestHeaders(context),
  ];
}

/** Headers of a GET that opens an event stream; names and values alternate. */
export function streamHeaders(context: BackendContext): string[] {
  return ['accept', 'text/event-stream', 'cache-control', 'no-cache', ...everyRequestHeaders(context)];
}

/** Headers that a request has of its own, or may have; a backend's are added, and take the place of none. */
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

/** A header that we set ourselves. */
function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.has(name.toLowerCase());
}

/** Who we are, and the headers of this backend; names and values alternate. */
export function everyRequestHeaders({ clientInfo, headers }: BackendContext): string[] {
  const added = headers.filter(({ name }) => !isOwnHeader(name));
  return ['user-agent', `lintel/${clientInfo.version}`, ...added.flatMap(({ name, value }) => [name, value])];
}

/** The media type of a `content-type`, in lower case and without parameters. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === 'application/json' || contentType === 'text/event-stream') return contentType;
  return (contentType?.split(';', 1)[0] ?? '').trim().toLowerCase();
}
