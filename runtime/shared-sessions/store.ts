/** What replicas know together about the sessions of clients. Implementations: `redis-store.ts`, and `memory-store.ts` inside of one process. */
import { hash } from 'node:crypto';

/** What is kept of one session, by name. Values are text; {@link SessionRecord} says which there are. */
export type SessionFields = Readonly<Record<string, string>>;

/** A message of one replica to others. `session` is the key of a session, never its id. */
export interface ReplicaMessage {
  readonly type: 'ended' | 'changed' | 'answer' | 'progress' | 'cancelled' | 'listening';
  readonly session: string;
  /** The replica that says it. */
  readonly from: number;
  /** A message of the client as JSON text. */
  readonly text?: string;
  /** Fields that have changed; null for one that is gone. */
  readonly fields?: Readonly<Record<string, string | null>>;
}

/** One event of a stream, as it was written to the client. */
export interface SharedEvent {
  /** The name of its stream. */
  readonly stream: string;
  /** Its place there, from 1; `LAST_PLACE` for the event that ends the stream. */
  readonly place: number;
  readonly text: string;
}

/** The store cannot be reached, or has no room: whether a session exists is not known. */
export class StoreAwayError extends Error {
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
   * Whether all that other replicas have said until a second ago has come here: then a session that was not said to have ended
   * has not ended, and nobody need ask.
   */
  readonly isFresh: boolean;
  /** Keeps a new session for `ttlMs`. */
  create(id: string, fields: SessionFields, ttlMs: number): Promise<void>;
  /** What is kept of a session, which lives `ttlMs` from now on, or as long as before where that is 0. Undefined for one that is unknown, has expired or was ended. */
  load(id: string, ttlMs: number): Promise<SessionFields | undefined>;
  /** Changes fields of a session; null removes one. Tells the other replicas. False when there is no such session. */
  change(id: string, fields: Readonly<Record<string, string | null>>): Promise<boolean>;
  /**
   * Sets a field that has no value, or still has the value `instead`, and gives the value that it has then. Undefined when there is no such
   * session.
   */
  claim(id: string, field: string, value: string, instead: string | undefined): Promise<string | undefined>;
  /** Ends a session everywhere. False when there is none. */
  end(id: string): Promise<boolean>;
  /** Lets sessions live `ttlMs` from now on. Gives those that there are. */
  keep(ids: readonly string[], ttlMs: number): Promise<ReadonlySet<string>>;
  /** Which of these sessions there are. */
  existing(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Keeps an event for clients that come back at any replica. The oldest of the session make room. */
  keepEvent(id: string, event: SharedEvent, ttlMs: number): Promise<void>;
  /** What is kept of a stream, in order. */
  events(id: string, stream: string): Promise<readonly SharedEvent[]>;
  /** Tells one replica, or all others. False when that replica is not alive. */
  tell(to: number | 'others', message: Omit<ReplicaMessage, 'from'>): Promise<boolean>;
  /** Whether a replica is alive, as far as is known: for seconds after its death it may seem so. */
  isAlive(replica: number): Promise<boolean>;
  /** Hears what other replicas say. One listener. */
  onMessage(listener: (message: ReplicaMessage) => void): void;
  /** Calls back when messages may have been missed: what is held has to be looked up again. One listener. */
  onGap(listener: () => void): void;
  close(): void;
}

/** Ceilings on what one session keeps for clients that come back. */
export const MAX_SHARED_EVENTS = 256;
export const MAX_SHARED_EVENT_BYTES: number = 1024 * 1024;

/** How old what a replica knows may be; milliseconds. */
export const MAX_STALE_MS = 1_000;

/** What a session is called where others read along: its id works like a credential, and cannot be found out from this. */
export function sessionKey(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, 32);
}

/** A number for a replica. */
export function randomReplica(): number {
  return 1 + Math.floor(Math.random() * 9_999_999);
}
