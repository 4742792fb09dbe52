/** Calls of methods between two processes of one gateway. Messages of the same turn of the event loop are sent together. */

/** The methods that one process offers, by name. Argument and result are sent as JSON; `undefined` is preserved. */
export interface RequestHandlers {
  readonly [name: string]: (argument: never) => unknown;
}

type Argument<A extends RequestHandlers, N extends keyof A> = Parameters<A[N]>[0];
type HandlerResult<A extends RequestHandlers, N extends keyof A> = Awaited<ReturnType<A[N]>>;

/** The method failed in the other process; `name` is the name of its error. */
export class RemoteError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** The other process has exited. It is unknown whether it has run the method. */
export class ChannelClosed extends Error {
  constructor() {
    super('the other process is gone');
    this.name = 'ChannelClosed';
  }
}

type Frame =
  | readonly ['ask', id: number, name: string, argument: unknown]
  | readonly ['answer', id: number, answer: unknown]
  | readonly ['error', id: number, name: string, message: string];

export class Channel<Theirs extends RequestHandlers> {
  readonly #send: (batch: readonly Frame[]) => void;
  readonly #answers: RequestHandlers;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #batch: Frame[] = [];
  #lastId = 0;
  #isClosed = false;

  /**
   * @param answers the methods that this process offers
   * @param send passes messages, in order, to `receive` in the other process
   */
  constructor(answers: RequestHandlers, send: (batch: unknown) => void) {
    this.#answers = answers;
    this.#send = send;
  }

  /**
   * Calls a method of the other process. Calls arrive in the order in which they were made.
   *
   * @returns rejects with RemoteError if the method fails, and with ChannelClosed if the other process has exited
   */
  ask<N extends keyof Theirs & string>(name: N, argument: Argument<Theirs, N>): Promise<HandlerResult<Theirs, N>> {
    const pending = Promise.withResolvers<unknown>();
    if (this.#isClosed) pending.reject(new ChannelClosed());
    else {
      const id = ++this.#lastId;
      this.#waiting.set(id, pending);
      this.#put(['ask', id, name, argument]);
    }
    return pending.promise as Promise<HandlerResult<Theirs, N>>;
  }

  receive(batch: unknown): void {
    for (const frame of batch as readonly Frame[]) {
      if (frame[0] === 'ask') this.#answer(frame[1], frame[2], frame[3]);
      else this.#answered(frame);
    }
  }

  /** Called when the other process has exited. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(new ChannelClosed());
    this.#waiting.clear();
  }

  #answered(frame: Exclude<Frame, readonly ['ask', ...unknown[]]>): void {
    const pending = this.#waiting.get(frame[1]);
    this.#waiting.delete(frame[1]);
    // JSON has no `undefined`, so `null` arrives in its place.
    if (frame[0] === 'answer') pending?.resolve(frame[2] ?? undefined);
    else pending?.reject(new RemoteError(frame[2], frame[3]));
  }

  #answer(id: number, name: string, argument: unknown): void {
    const fail = (error: unknown): void => {
      const { name: kind, message } = error as Error;
      this.#put(['error', id, kind, message]);
    };
    try {
      const answer = (this.#answers[name] as (requestArgument: unknown) => unknown)(argument);
      if (answer instanceof Promise) answer.then(value => this.#put(['answer', id, value]), fail);
      else this.#put(['answer', id, answer]);
    } catch (error) {
      fail(error);
    }
  }

  #put(frame: Frame): void {
    this.#batch.push(frame);
    if (this.#batch.length === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    if (!this.#isClosed) this.#send(batch);
  }
}
