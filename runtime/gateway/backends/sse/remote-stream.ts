/**
 * The stream of an HTTP+SSE session that another replica has opened: this replica posts its messages itself, and gets its answers from the other
 * replica.
 */
import type { SavedBackendSession } from '../backend.ts';
import type { SharedBackendSession, StreamMessage } from '../context.ts';
import { formatStreamName } from './stream-name.ts';

/** How often a waiting replica checks that the replica with the stream is alive; milliseconds. */
const CHECK_MS = 1_000;

export interface RemoteStreamOptions {
  /** Called with a JSON-RPC message of the backend for this replica. */
  onMessage(json: Buffer): void;
  /** Called when the backend has sent a request to a client at another replica: requests of this replica may wait for the answer. */
  onAsked(id: string): void;
  onAnswered(id: string): void;
  /** Called when the stream will end after the answers that requests wait for: further requests need another stream. */
  onLeft(): void;
  /** Called once when the stream has ended, and never after `close`. */
  onLost(): void;
}

export class RemoteStream {
  readonly #shared: SharedBackendSession;
  readonly #holder: number;
  readonly #name: string;
  readonly #options: RemoteStreamOptions;
  readonly #deaf: () => void;
  /** Ids of requests without an answer. */
  readonly #expected: Set<string> = new Set();
  #listens = false;
  #onDone: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(
    shared: SharedBackendSession,
    { id, holder = 0 }: Pick<SavedBackendSession, 'id' | 'holder'>,
    options: RemoteStreamOptions,
  ) {
    this.#shared = shared;
    this.#holder = holder;
    this.#name = formatStreamName(id);
    this.#options = options;
    this.#deaf = shared.onMessage(this.#name, message => this.#receive(message));
  }

  /**
   * Tells the replica with the stream whether the client's standing stream is open at this replica, which can then deliver the backend's own
   * messages.
   */
  listen(isHere: boolean): void {
    if (this.#listens === isHere) return;
    this.#listens = isHere;
    this.#watch();
    void this.#send({ kind: isHere ? 'listens' : 'listens-not', stream: this.#name });
  }

  /** Announces a request to the replica with the stream before it is posted. Returns false when no replica has the stream. */
  expect(id: string, token: string | undefined): Promise<boolean> {
    this.#expected.add(id);
    this.#watch();
    return this.#send({ kind: 'expects', stream: this.#name, id, token });
  }

  /** Reports that a request has its answer, or no longer needs one. */
  settled(id: string, isAnswered: boolean): void {
    if (!this.#expected.delete(id)) return;
    this.#watch();
    if (!isAnswered) void this.#send({ kind: 'expects-not', stream: this.#name, id });
    if (this.#onDone !== undefined && this.#expected.size === 0) this.close();
  }

  /** Called when the answer to a question of the backend is being sent. */
  answered(id: string): void {
    void this.#send({ kind: 'answered', stream: this.#name, id });
  }

  get isAwaiting(): boolean {
    return this.#expected.size > 0;
  }

  /**
   * Uses the stream only for answers that requests still wait for.
   * @param onDone called when these answers have arrived
   */
  leave(onDone: () => void): void {
    this.#onDone = onDone;
    this.listen(false);
    if (this.#expected.size === 0) this.close();
  }

  close(): void {
    this.#isOver = true;
    this.#onDone?.();
    this.#deaf();
    clearInterval(this.#timer);
  }

  #send(message: StreamMessage): Promise<boolean> {
    return this.#isOver ? Promise.resolve(false) : this.#shared.send(this.#holder, message);
  }

  #receive({ kind, id = '', json = '' }: StreamMessage): void {
    if (kind === 'heard') this.#options.onMessage(Buffer.from(json));
    else if (kind === 'asked') this.#options.onAsked(id);
    else if (kind === 'answered') this.#options.onAnswered(id);
    else if (kind === 'left') this.#options.onLeft();
    else if (kind === 'lost') this.#lose();
  }

  #lose(): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onLost();
  }

  /** Checks repeatedly that the replica with the stream is alive, while this replica waits for an answer from it. */
  #watch(): void {
    const isNeeded = !this.#isOver && (this.#listens || this.#expected.size > 0);
    if (!isNeeded) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else
      this.#timer ??= setInterval(() => {
        this.#shared.isAlive(this.#holder).then(
          isAlive => isAlive || this.#lose(),
          () => {}, // Redis is unavailable: that says nothing about the other replica.
        );
      }, CHECK_MS).unref();
  }
}
