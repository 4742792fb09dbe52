/** The state of client sessions that all replicas of a gateway share. Implementations: `redis-store.ts`, and `memory-store.ts` inside of one process. */
import { hash } from 'node:crypto';

/** What is kept of one session, by name. Values are text. */
export type SessionFields = Readonly<Record<string, string>>;

/** A replica is done with sessions with a backend, and would end them; another one still uses some. The text names clients' sessions by their keys. */
export type BackendUseMessageType = 'backend-done' | 'backend-used';

/** A message of a client over HTTP+SSE for the replica that has its stream, and what became of it. */
export type HandedMessageType = 'handed' | 'handed-taken';

/** What a message is about that replicas send each other on behalf of a stateless client, which is in no session. */
export type RoundMessageType = 'round' | 'round-answer' | 'round-read' | 'round-left';

/** A message of one replica to others. */
export interface ReplicaMessage {
  readonly type:
    | 'ended'
    | 'changed'
    | 'answer'
    | 'answer-received'
    | 'progress'
    | 'cancelled'
    | 'listening'
    | 'stream'
    | BackendUseMessageType
    | HandedMessageType
    | RoundMessageType;
  /** The key of the session that it is about, never its id; undefined for a message about a round, or about several sessions. */
  readonly session?: string;
  /** The round, or the handed message, that it is about, by the name that the replica of its client gave it. */
  readonly round?: string;
  /** The replica that sent the message. */
  readonly from: number;
  /** A message of the client as JSON text, unless the type says otherwise. */
  readonly text?: string;
  /** Fields that have changed; null for one that is gone. */
  readonly fields?: Readonly<Record<string, string | null>>;
}

/** One event of a stream, as it was written to the client. */
export interface SharedEvent {
  /** The name of its stream. */
  readonly stream: string;
  /** Its place there, from 1; `LAST_PLACE` for the event that ends the stream. */
  readonly position: number;
  readonly text: string;
}

/** The store cannot be reached, or has no room: whether a session exists is not known. */
export class StoreAwayError extends Error {
  readonly code = 'ERR_SESSION_STORE';
  constructor(cause: unknown) {
    super('the session store cannot be reached', { cause });
    this.name = 'StoreAwayError';
  }
}

/**
 * The sessions of all replicas, as one of them sees them. Every method rejects with {@link StoreAwayError} when the store cannot be asked;
 * what was written then may have been written or not.
 */
export interface SharedSessions {
  /** The number of this replica, which no other that is alive has: 1 to 9,999,999. */
  readonly replica: number;
  /**
   * Whether this replica has received every message that others sent until a second ago. Then a session whose end was not
   * reported has not ended, and the store need not be asked.
   */
  readonly isFresh: boolean;
  /** Keeps a new session for `ttlMs`. */
  create(id: string, fields: SessionFields, ttlMs: number): Promise<void>;
  /** The fields of a session, which then lives `ttlMs` from now, or as long as before where `ttlMs` is 0. Undefined for a session that is unknown, expired or ended. */
  load(id: string, ttlMs: number): Promise<SessionFields | undefined>;
  /** Changes fields of a session; null removes one. Notifies the other replicas. False when there is no such session. */
  change(id: string, fields: Readonly<Record<string, string | null>>): Promise<boolean>;
  /**
   * Sets a field that has no value, or still has the value `instead`, and returns its value after that. Undefined when there is no such
   * session.
   */
  claim(id: string, field: string, value: string, instead: string | undefined): Promise<string | undefined>;
  /** Ends a session everywhere. False when there is none. */
  end(id: string): Promise<boolean>;
  /** Prolongs sessions to `ttlMs` from now. Returns the ids of those that exist. */
  keep(ids: readonly string[], ttlMs: number): Promise<ReadonlySet<string>>;
  /** Returns the ids of those sessions that exist. */
  existing(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Keeps an event for a client that reconnects at any replica. The oldest events of the session make room for it. */
  keepEvent(id: string, event: SharedEvent, ttlMs: number): Promise<void>;
  /** The kept events of a stream, in order. */
  events(id: string, stream: string): Promise<readonly SharedEvent[]>;
  /** The secret that all replicas of the gateway have: the first one that any of them has proposed. */
  secret(proposed: string): Promise<string>;
  /** Sends a message to one replica, or to all others. False when that replica is not alive. */
  send(to: number | 'others', message: Omit<ReplicaMessage, 'from'>): Promise<boolean>;
  /** Whether a replica is alive. A replica that died counts as alive for some seconds more. */
  isAlive(replica: number): Promise<boolean>;
  /** Receives the messages of other replicas. One listener. */
  onMessage(listener: (message: ReplicaMessage) => void): void;
  /** Called when messages may have been lost, or the store may have lost what it held: those that need it ask again. */
  onGap(listener: () => void): void;
  close(): void;
}

/** Limits on the events that one session keeps for a client that reconnects. */
export const MAX_SHARED_EVENTS = 256;
export const MAX_SHARED_EVENT_BYTES: number = 1024 * 1024;

/** How old a replica's copy of a session may be; milliseconds. */
export const MAX_STALE_MS = 1_000;

/** The name of a session in keys and messages. The session's id works like a credential, and cannot be computed from this name. */
export function sessionKey(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, 32);
}

/** A number for a replica. */
export function randomReplica(): number {
  return 1 + Math.floor(Math.random() * 9_999_999);
}
