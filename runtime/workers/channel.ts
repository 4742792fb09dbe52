/** Questions and answers between two processes of ours. What is said in one turn of the event loop goes as one message. */

/** What one side answers: by name, from its argument to its answer. Both have to survive JSON; `undefined` arrives as such. */
export interface RequestHandlers {
  readonly [name: string]: (argument: never) => unknown;
}

type Argument<A extends RequestHandlers, N extends keyof A> = Parameters<A[N]>[0];
type Answer<A extends RequestHandlers, N extends keyof A> = Awaited<ReturnType<A[N]>>;

/** The other side has failed to answer; `name` is that of its error. */
export class RemoteError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** The other side is gone: whether it has done what it was asked for is not known. */
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
   * @param answers of this side
   * @param send what the other side gives to `receive`, in this order
   */
  constructor(answers: RequestHandlers, send: (batch: unknown) => void) {
    this.#answers = answers;
    this.#send = send;
  }

  /**
   * Asks the other side; questions get there in the order in which they were asked.
   *
   * @returns rejects with RemoteError where it fails, and with ChannelClosed where it is gone
   */
  ask<N extends keyof Theirs & string>(name: N, argument: Argument<Theirs, N>): Promise<Answer<Theirs, N>> {
    const asked = Promise.withResolvers<unknown>();
    if (this.#isClosed) asked.reject(new ChannelClosed());
    else {
      const id = ++this.#lastId;
      this.#waiting.set(id, asked);
      this.#put(['ask', id, name, argument]);
    }
    return asked.promise as Promise<Answer<Theirs, N>>;
  }

  receive(batch: unknown): void {
    for (const frame of batch as readonly Frame[]) {
      if (frame[0] === 'ask') this.#answer(frame[1], frame[2], frame[3]);
      else this.#answered(frame);
    }
  }

  /** The other side is gone. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(new ChannelClosed());
    this.#waiting.clear();
  }

  #answered(frame: Exclude<Frame, readonly ['ask', ...unknown[]]>): void {
    const asked = this.#waiting.get(frame[1]);
    this.#waiting.delete(frame[1]);
    // JSON has no `undefined`.
    if (frame[0] === 'answer') asked?.resolve(frame[2] ?? undefined);
    else asked?.reject(new RemoteError(frame[2], frame[3]));
  }

  #answer(id: number, name: string, argument: unknown): void {
    const fail = (error: unknown): void => {
      const { name: kind, message } = error as Error;
      this.#put(['error', id, kind, message]);
    };
    try {
      const answer = (this.#answers[name] as (given: unknown) => unknown)(argument);
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
