/**
 * Limits concurrent connections to git servers. Only connections that receive data count: a stalled one does not count, so another may begin. If
 * stalled connections use up the limit of the machine, the one that has been stalled longest is ended. So however many servers hang, a source whose
 * server answers does not wait for them.
 */
import { GitError } from '#shared/git';
import { LinkedAbort } from '#shared/util';
import { type Clock, systemClock } from '../kube/clock.ts';
import { parseRemoteHost } from './host-of.ts';

export interface ConnectionLimits {
  /** Limit on connections that receive data or have just begun. */
  readonly moving: number;
  /** Limit on all connections, including stalled ones. */
  readonly all: number;
  /** Limit on all connections to one server. */
  readonly ofHost: number;
  /** A connection without data for this long counts as stalled; milliseconds. */
  readonly stillMs: number;
  /** A connection is only ended in favour of waiting connections after it was stalled for this long; milliseconds. */
  readonly endMs: number;
}

const TIMES = { stillMs: 3_000, endMs: 10_000 } as const;

/** Limits for queries of the current commit: one small answer, whose arrival cannot be observed before its end. */
export const QUERY_LIMITS: ConnectionLimits = { moving: 16, all: 48, ofHost: 4, ...TIMES };

/** Limits for transfers, which take memory and time of this machine. */
export const TRANSFER_LIMITS: ConnectionLimits = { moving: 4, all: 12, ofHost: 4, ...TIMES };

/** How often stalled connections are searched while others wait; milliseconds. */
const CHECK_MS = 250;

export interface ConnectionRequest {
  /** The owner of the source: owners with fewer connections come first. */
  readonly owner: string;
  /** The URL of the repository; repositories on this machine have no host and count as one server. */
  readonly url: string;
  readonly signal: AbortSignal;
}

export interface ServerConnection {
  /** The signal of the request; also aborted, with a GitError, when the connection is ended in favour of waiting connections. */
  readonly signal: AbortSignal;
  /** Called when the connection has received data. */
  moved(): void;
}

export interface ConnectionCounts {
  readonly moving: number;
  readonly still: number;
  readonly waiting: number;
}

interface Conversation {
  readonly owner: string;
  readonly url: string;
  readonly host: string;
  readonly stop: LinkedAbort;
  readonly begin: () => void;
  movedAt: number;
}

export class ConnectionScheduler {
  readonly #limits: ConnectionLimits;
  readonly #clock: Clock;
  /** In order of arrival. */
  readonly #waiting = new Set<Conversation>();
  readonly #running = new Set<Conversation>();
  #cancelCheck: (() => void) | undefined;

  constructor(limits: ConnectionLimits, clock: Clock = systemClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get counts(): ConnectionCounts {
    const moving = this.#countMoving();
    return { moving, still: this.#running.size - moving, waiting: this.#waiting.size };
  }

  /**
   * Runs work with a connection when the limits permit.
   * @throws the error of the work; the reason of the signal if it is aborted before the connection may begin
   */
  async take<T>(
    { owner, url, signal }: ConnectionRequest,
    converse: (turn: ServerConnection) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    using stop = new LinkedAbort([signal]);
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
    const conversation: Conversation = { owner, url, host: parseRemoteHost(url), stop, begin: resolve, movedAt: 0 };
    this.#waiting.add(conversation);
    this.#beginWaiting();
    try {
      await promise;
      const moved = () => {
        conversation.movedAt = this.#clock.now();
      };
      return await converse({ signal: stop.signal, moved });
    } finally {
      this.#waiting.delete(conversation);
      this.#running.delete(conversation);
      this.#beginWaiting();
    }
  }

  /** Begins waiting connections that fit into the limits. If none fits because of stalled connections, ends one of these. */
  #beginWaiting(): void {
    this.#cancelCheck?.();
    this.#cancelCheck = undefined;
    for (let next = this.#findNext(); next !== undefined; next = this.#findNext()) {
      this.#waiting.delete(next);
      this.#running.add(next);
      next.movedAt = this.#clock.now();
      next.begin();
    }
    if (this.#waiting.size === 0) return;
    this.#makeRoom();
    this.#cancelCheck = this.#clock.after(CHECK_MS, () => this.#beginWaiting());
  }

  /**
   * The connection that begins next: one of the owner with the fewest connections, among these one to the server with the fewest; undefined when no
   * waiting connection fits into the limits.
   */
  #findNext(): Conversation | undefined {
    const { moving, all, ofHost } = this.#limits;
    if (this.#waiting.size === 0 || this.#running.size >= all || this.#countMoving() >= moving) return undefined;
    const owners = countBy(this.#running, ({ owner }) => owner);
    const hosts = countBy(this.#running, ({ host }) => host);
    const rank = ({ owner, host }: Conversation) => (owners.get(owner) ?? 0) * all + (hosts.get(host) ?? 0);
    let first: Conversation | undefined;
    for (const connection of this.#waiting)
      if ((hosts.get(connection.host) ?? 0) < ofHost && (first === undefined || rank(connection) < rank(first)))
        first = connection;
    return first;
  }

  #makeRoom(): void {
    const running = [...this.#running];
    if (running.length >= this.#limits.all) {
      this.#endOneOf(running);
      return;
    }
    for (const host of new Set([...this.#waiting].map(waiting => waiting.host))) {
      const ofHost = running.filter(connection => connection.host === host);
      if (ofHost.length >= this.#limits.ofHost) this.#endOneOf(ofHost);
    }
  }

  /** Ends the connection that has been stalled longest; another may begin once its processes have ended. */
  #endOneOf(conversations: readonly Conversation[]): void {
    if (conversations.some(({ stop }) => stop.signal.aborted)) return;
    const [stillest] = conversations.toSorted((a, b) => a.movedAt - b.movedAt);
    const stillMs = stillest === undefined ? 0 : this.#clock.now() - stillest.movedAt;
    if (stillest === undefined || stillMs < this.#limits.endMs) return;
    const cause = `it has sent nothing for ${Math.floor(stillMs / 1_000)} s, and other sources wait`;
    stillest.stop.abort(new GitError('silent', stillest.url, `${cause}; check whether the git server hangs`));
  }

  #countMoving(): number {
    const stillSince = this.#clock.now() - this.#limits.stillMs;
    let count = 0;
    for (const { movedAt } of this.#running) if (movedAt > stillSince) count += 1;
    return count;
  }
}

function countBy(
  conversations: Iterable<Conversation>,
  key: (connection: Conversation) => string,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const connection of conversations) counts.set(key(connection), (counts.get(key(connection)) ?? 0) + 1);
  return counts;
}
