/** The state of client sessions that all replicas of a gateway share. Implementations: `redis-store.ts`, and `memory-store.ts` inside of one process. */
import { hash } from 'node:crypto';

/** The fields of one stored session, by name. Values are text. */
export type SessionFields = Readonly<Record<string, string>>;

/**
 * `backend-done`: a replica no longer uses some sessions with a backend and wants to end them. `backend-used`: another replica answers which of them it
 * still uses. The text names client sessions by their keys.
 */
export type BackendUseMessageType = 'backend-done' | 'backend-used';

/** A message from an HTTP+SSE client, passed to the replica that has the client's stream; and the answer of that replica. */
export type HandedMessageType = 'handed' | 'handed-taken';

/** Messages that replicas exchange for a stateless client, which has no session. */
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
  /** The key of the session, never its id; undefined for a message about a round or about several sessions. */
  readonly session?: string;
  /** The name of the round or of the passed message that this message is about; the client's replica has chosen the name. */
  readonly round?: string;
  /** The replica that sent the message. */
  readonly from: number;
  /** A client's message as JSON text, unless the type says otherwise. */
  readonly text?: string;
  /** The changed fields; null for a removed field. */
  readonly fields?: Readonly<Record<string, string | null>>;
}

/** One event of a stream, with the text that the client got. */
export interface SharedEvent {
  /** The name of the event's stream. */
  readonly stream: string;
  /** The event's position in the stream, from 1; `LAST_PLACE` for the event that ends the stream. */
  readonly position: number;
  readonly text: string;
}

/** The store cannot be reached or is full, so it is unknown whether a session exists. */
export class StoreAwayError extends Error {
  readonly code = 'ERR_SESSION_STORE';
  constructor(cause: unknown) {
    super('the session store cannot be reached', { cause });
    this.name = 'StoreAwayError';
  }
}

/**
 * The sessions of all replicas, as one replica sees them. Each method rejects with {@link StoreAwayError} if the store cannot be reached; a change may
 * then have been stored or not.
 */
export interface SharedSessions {
  /** The number of this replica, from 1 to 9,999,999. No other live replica has it. */
  readonly replica: number;
  /**
   * Whether this replica has received every message that others sent until a second ago. Then a session exists unless a message reported its
   * end, and the store need not be queried.
   */
  readonly isFresh: boolean;
  /** Stores a new session for `ttlMs`. */
  create(id: string, fields: SessionFields, ttlMs: number): Promise<void>;
  /**
   * The fields of a session, whose lifetime becomes `ttlMs` from now, or stays unchanged if `ttlMs` is 0. Undefined for a session that is
   * unknown, expired or ended.
   */
  load(id: string, ttlMs: number): Promise<SessionFields | undefined>;
  /** Changes fields of a session; null removes a field. Notifies the other replicas. Returns false if there is no such session. */
  change(id: string, fields: Readonly<Record<string, string | null>>): Promise<boolean>;
  /**
   * Sets a field if it has no value, or still the value `instead`. Returns the value that the field then has; undefined if the session does not exist.
   */
  claim(id: string, field: string, value: string, instead: string | undefined): Promise<string | undefined>;
  /** Ends a session at all replicas. Returns false if there is no such session. */
  end(id: string): Promise<boolean>;
  /** Sets the lifetime of sessions to `ttlMs` from now. Returns the ids of the sessions that exist. */
  keep(ids: readonly string[], ttlMs: number): Promise<ReadonlySet<string>>;
  /** Which of these sessions exist. */
  existing(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Stores an event for a client that reconnects at any replica. The oldest events of the session are removed when the limit is reached. */
  keepEvent(id: string, event: SharedEvent, ttlMs: number): Promise<void>;
  /** The stored events of a stream, in order. */
  events(id: string, stream: string): Promise<readonly SharedEvent[]>;
  /** The secret that all replicas of the gateway share: the first one that a replica proposed. */
  secret(proposed: string): Promise<string>;
  /** Sends a message to one replica, or to all others. Returns false when that replica is not alive. */
  send(to: number | 'others', message: Omit<ReplicaMessage, 'from'>): Promise<boolean>;
  /** Whether a replica is alive. A replica that has died still counts as alive for some seconds. */
  isAlive(replica: number): Promise<boolean>;
  /** Receives messages from other replicas. There is one listener. */
  onMessage(listener: (message: ReplicaMessage) => void): void;
  /** Adds a listener for the case that messages or data of the store may have been lost. Listeners then load what they need again. */
  onGap(listener: () => void): void;
  close(): void;
}

/** Limits on the events that one session stores for a client that reconnects. */
export const MAX_SHARED_EVENTS = 256;
export const MAX_SHARED_EVENT_BYTES: number = 1024 * 1024;

/** How much a replica's copy of a session may be out of date; milliseconds. */
export const MAX_STALE_MS = 1_000;

/** The name of a session in keys and messages. The session's id works like a credential, and cannot be computed from this name. */
export function formatSessionKey(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, 32);
}

/** A number for a replica. */
export function chooseRandomReplica(): number {
  return 1 + Math.floor(Math.random() * 9_999_999);
}
