/**
 * How many conversations with git servers there are at a time. Only those count in which something comes: one that stands still gives its
 * place to another, and where still ones take up all that a machine bears, the one that has stood still longest is ended. So a
 * source whose server answers waits for no server that hangs, however many do.
 */
import { GitError } from '#git';
import { LinkedAbort } from '#util';
import { type Clock, systemClock } from '../kube/clock.ts';
import { parseRemoteHost } from './host-of.ts';

export interface TurnLimits {
  /** Conversations in which something comes, and those that have just begun. */
  readonly moving: number;
  /** All, also those that stand still. */
  readonly all: number;
  /** All with one server. */
  readonly ofHost: number;
  /** Nothing has come for so long in one that stands still; milliseconds. */
  readonly stillMs: number;
  /** None is ended for others that has stood still for less; milliseconds. */
  readonly endMs: number;
}

const TIMES = { stillMs: 3_000, endMs: 10_000 } as const;

/** Whether there is something new: one small answer, of which nothing can be seen before its end. */
export const QUESTIONS: TurnLimits = { moving: 16, all: 48, ofHost: 4, ...TIMES };

/** What is transferred takes memory and time of this machine. */
export const TRANSFERS: TurnLimits = { moving: 4, all: 12, ofHost: 4, ...TIMES };

/** How often is looked for conversations that stand still, while others wait; milliseconds. */
const LOOK_MS = 250;

export interface TurnRequest {
  /** Whose source it is: owners that have fewer conversations come first. */
  readonly owner: string;
  /** Of the repository; those without a host, of this machine, count as one. */
  readonly url: string;
  readonly signal: AbortSignal;
}

export interface Turn {
  /** That of the request, and aborted with a GitError when the conversation is ended for others. */
  readonly signal: AbortSignal;
  /** Something has come. */
  moved(): void;
}

export interface TurnCounts {
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

export class ServerTurns {
  readonly #limits: TurnLimits;
  readonly #clock: Clock;
  /** In the order of asking. */
  readonly #waiting = new Set<Conversation>();
  readonly #running = new Set<Conversation>();
  #cancelLook: (() => void) | undefined;

  constructor(limits: TurnLimits, clock: Clock = systemClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get counts(): TurnCounts {
    const moving = this.#countMoving();
    return { moving, still: this.#running.size - moving, waiting: this.#waiting.size };
  }

  /** @throws what the conversation throws; the reason of the signal when it comes before the turn does */
  async take<T>({ owner, url, signal }: TurnRequest, converse: (turn: Turn) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    using stop = new LinkedAbort([signal]);
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
    const conversation: Conversation = { owner, url, host: parseRemoteHost(url), stop, begin: resolve, movedAt: 0 };
    this.#waiting.add(conversation);
    this.#admit();
    try {
      await promise;
      const moved = () => {
        conversation.movedAt = this.#clock.now();
      };
      return await converse({ signal: stop.signal, moved });
    } finally {
      this.#waiting.delete(conversation);
      this.#running.delete(conversation);
      this.#admit();
    }
  }

  /** Begins what may begin, and ends what stands in the way of the others. */
  #admit(): void {
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    for (let next = this.#findNext(); next !== undefined; next = this.#findNext()) {
      this.#waiting.delete(next);
      this.#running.add(next);
      next.movedAt = this.#clock.now();
      next.begin();
    }
    if (this.#waiting.size === 0) return;
    this.#makeRoom();
    this.#cancelLook = this.#clock.after(LOOK_MS, () => this.#admit());
  }

  /** The one of the owner, then of the server, that has the fewest; undefined when there is no room for any. */
  #findNext(): Conversation | undefined {
    const { moving, all, ofHost } = this.#limits;
    if (this.#waiting.size === 0 || this.#running.size >= all || this.#countMoving() >= moving) return undefined;
    const owners = countBy(this.#running, ({ owner }) => owner);
    const hosts = countBy(this.#running, ({ host }) => host);
    const rank = ({ owner, host }: Conversation) => (owners.get(owner) ?? 0) * all + (hosts.get(host) ?? 0);
    let first: Conversation | undefined;
    for (const one of this.#waiting)
      if ((hosts.get(one.host) ?? 0) < ofHost && (first === undefined || rank(one) < rank(first))) first = one;
    return first;
  }

  #makeRoom(): void {
    const running = [...this.#running];
    if (running.length >= this.#limits.all) {
      this.#endOneOf(running);
      return;
    }
    for (const host of new Set([...this.#waiting].map(waiting => waiting.host))) {
      const ofHost = running.filter(one => one.host === host);
      if (ofHost.length >= this.#limits.ofHost) this.#endOneOf(ofHost);
    }
  }

  /** That which has stood still longest; its place is free when its processes are gone. */
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

function countBy(conversations: Iterable<Conversation>, key: (one: Conversation) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of conversations) counts.set(key(one), (counts.get(key(one)) ?? 0) + 1);
  return counts;
}
