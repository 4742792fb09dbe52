/**
 * Messages of clients over HTTP+SSE that reached another process than the one with the client's stream. A session over HTTP+SSE is its stream,
 * so the message is passed to that process, which sends the answer.
 */
import { randomUUID } from 'node:crypto';
import {
  formatSessionKey,
  type ReplicaMessage,
  type SharedSessions,
  StoreAwayError,
} from '../../shared-sessions/store.ts';
import { WIRE_CODE, WireError } from '../wire-error.ts';

/** How long the process that holds the stream may take to accept a message, in milliseconds. */
const TAKEN_MS = 5_000;

/** Limit on the unread messages to other processes, in characters, since the session store holds them. */
const MAX_UNDER_WAY = 16 * 1024 * 1024;

const REPLICA = /\.(\d{1,7})$/;

/** A message from one process to another. It contains neither a token of the caller nor a header of the request. */
export interface ForwardedMessage {
  /** `formatSessionKey` of the sending identity, as owner. */
  readonly owner: string;
  /** The body of the POST. */
  readonly text: string;
}

/** The outcome: the session is another caller's, or does not exist. */
export type ForwardResult = 'taken' | 'foreign' | 'unknown';

export class ForwardedMessages {
  readonly #shared: SharedSessions;
  readonly #take: (session: string, message: ForwardedMessage) => Promise<ForwardResult>;
  readonly #awaited = new Map<string, (taking: ForwardResult) => void>();
  #underWay = 0;

  /** @param take takes a message that another process has received, in a session by its key */
  constructor(shared: SharedSessions, take: (session: string, message: ForwardedMessage) => Promise<ForwardResult>) {
    this.#shared = shared;
    this.#take = take;
  }

  /** The id of a session whose stream this process has. */
  newId(): string {
    return `${randomUUID()}.${this.#shared.replica}`;
  }

  /** The process that has the stream of a session; undefined for this process, and for an id that no process created. */
  findHolder(id: string): number | undefined {
    const replica = Number(REPLICA.exec(id)?.[1] ?? this.#shared.replica);
    return replica === this.#shared.replica ? undefined : replica;
  }

  /** @throws WireError with HTTP 503 when it is unknown whether the other process has the message, or when there is no room for it */
  async hand(holder: number, id: string, message: ForwardedMessage): Promise<ForwardResult> {
    const { length } = message.text;
    if (this.#underWay + length > MAX_UNDER_WAY)
      throw createNotHanded('too many messages are on their way to other processes');
    const round = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<ForwardResult>();
    const timer = setTimeout(() => reject(createNotHanded(LATE)), TAKEN_MS);
    this.#awaited.set(round, resolve);
    this.#underWay += length;
    try {
      const text = JSON.stringify(message);
      const isAlive = await this.#shared.send(holder, { type: 'handed', session: formatSessionKey(id), round, text });
      return isAlive ? await promise : 'unknown';
    } catch (error) {
      throw error instanceof StoreAwayError ? createNotHanded('the session store cannot be reached') : error;
    } finally {
      clearTimeout(timer);
      this.#awaited.delete(round);
      this.#underWay -= length;
    }
  }

  async receive({ type, session = '', round = '', from, text = '' }: ReplicaMessage): Promise<void> {
    if (type === 'handed-taken') {
      this.#awaited.get(round)?.(text as ForwardResult);
      return;
    }
    const taking = await this.#take(session, JSON.parse(text) as ForwardedMessage);
    // If that fails, the other process refuses its client after a while.
    await this.#shared.send(from, { type: 'handed-taken', session, round, text: taking }).catch(() => {});
  }
}

const LATE = 'the process that has the stream of the session has not answered; it may have the message';

function createNotHanded(text: string): WireError {
  return new WireError(WIRE_CODE.refused, `${text}; try again later`, { httpStatus: 503 });
}
