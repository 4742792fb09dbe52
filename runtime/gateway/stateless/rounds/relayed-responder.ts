import { AbortableResponder } from '../../../mcp/abortable-responder.ts';
import type { BackendError } from '../../../mcp/backend-error.ts';
import type { ClientResponder } from '../../../mcp/handler.ts';
import type { WireError } from '../../../mcp/wire-error.ts';
import { type NumberedStep, type RoundStep, serializeFailure, serializeWireError } from './round-messages.ts';
import type { UnreadRounds } from './unread-rounds.ts';

/** The size of one message between replicas that carries bytes of an answer; larger when the backend sends a larger chunk. */
const STEP_BYTES = 48 * 1024;

/** Bytes of one answer that the client's replica may have left unread before the backend has to wait. */
const MAX_UNREAD_BYTES = 256 * 1024;

export interface RelayedResponderOptions {
  /** The unread bytes of all answers together. */
  readonly unread: UnreadRounds;
  send(step: NumberedStep): void;
  /** Called when the last message about the answer has been sent. */
  onEnd(): void;
}

/** The answer to a client of another replica: that replica applies each step to the client's own answer. */
export class RelayedResponder extends AbortableResponder implements ClientResponder {
  protected override readonly isStateless = true;
  readonly #options: RelayedResponderOptions;
  #count = 0;
  #buffered: Uint8Array[] = [];
  #bufferedBytes = 0;
  #sentBytes = 0;
  #readBytes = 0;
  #resume: (() => void) | undefined;
  #hasEnded = false;

  constructor(options: RelayedResponderOptions) {
    super();
    this.#options = options;
  }

  result(json: string | Buffer): void {
    this.#last(['result', json.toString()]);
  }

  error(error: WireError): void {
    this.#last(['error', serializeWireError(error)]);
  }

  override fail(error: BackendError): void {
    this.#last(['fail', serializeFailure(error)]);
  }

  message(json: string): boolean {
    this.#step(['message', json]);
    return true;
  }

  hold(): void {
    this.#step(['hold']);
  }

  retry(ms: number): void {
    this.#step(['retry', ms]);
  }

  start(length: number | undefined, httpStatus?: number): void {
    this.#step(['start', length ?? null, httpStatus ?? null]);
  }

  data(chunk: Uint8Array): boolean {
    if (this.#hasEnded) return true;
    if (this.#bufferedBytes === 0) setImmediate(() => this.#flush());
    // A copy, because the owner of a chunk may reuse its memory before the chunk is sent.
    this.#buffered.push(Uint8Array.from(chunk));
    this.#bufferedBytes += chunk.length;
    this.#options.unread.add(chunk.length);
    this.#sentBytes += chunk.length;
    if (this.#bufferedBytes >= STEP_BYTES) this.#flush();
    return !this.#isFull;
  }

  onDrain(resume: () => void): void {
    if (this.#hasEnded || !this.#isFull) queueMicrotask(resume);
    else {
      this.#resume = resume;
      this.#options.unread.wait(this);
    }
  }

  end(): void {
    this.#last(['end']);
  }

  cancel(): void {
    this.#last(['cancel']);
    this.raise();
  }

  /** Called when the client's replica has read this many bytes of the answer so far; returns the number of the last step to it. */
  read(bytes: number): void {
    this.#options.unread.add(this.#readBytes - bytes);
    this.#readBytes = bytes;
    this.drained();
    this.#options.send({ number: this.#count, step: ['place'] });
  }

  /** Called when other answers have made room: continues to send. */
  drained(): void {
    if (this.#isFull && !this.#hasEnded) return;
    this.#options.unread.leave(this);
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  /** Called when the client has disconnected. */
  leave(): void {
    if (this.#hasEnded) return;
    this.#end();
    this.raise();
  }

  get #isFull(): boolean {
    return this.#sentBytes - this.#readBytes >= MAX_UNREAD_BYTES || this.#options.unread.isFull;
  }

  #flush(): void {
    if (this.#bufferedBytes === 0) return;
    const bytes = Buffer.concat(this.#buffered);
    this.#buffered = [];
    this.#bufferedBytes = 0;
    this.#send(['data', bytes.toString('base64')]);
  }

  #step(step: RoundStep): void {
    if (this.#hasEnded) return;
    this.#flush();
    this.#send(step);
  }

  #last(step: RoundStep): void {
    if (this.#hasEnded) return;
    this.#step(step);
    this.#end();
  }

  #send(step: RoundStep): void {
    if (!this.#hasEnded) this.#options.send({ number: ++this.#count, step });
  }

  #end(): void {
    this.#hasEnded = true;
    this.#buffered = [];
    this.#bufferedBytes = 0;
    this.#options.unread.add(this.#readBytes - this.#sentBytes);
    this.drained();
    this.#options.onEnd();
  }
}
