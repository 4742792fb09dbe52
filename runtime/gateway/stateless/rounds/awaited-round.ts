import type { AbortListener } from '#shared/util';
import type { ClientResponder } from '../../../mcp/handler.ts';
import { createReplicaLost } from '../../../mcp/wire-error.ts';
import { type NumberedStep, type RoundStep, restoreFailure, restoreWireError } from './round-messages.ts';

/** After this many bytes the client's replica reports to the replica with the call, before that replica has to wait. */
const REPORT_BYTES = 64 * 1024;

/** Number of consecutive checks without a response after which a replica counts as gone. */
const MAX_MISSED = 2;

export interface AwaitedRoundOptions {
  readonly answer: ClientResponder;
  /** Whether the call has no effect. */
  onlyReads(): boolean;
  /** Sends the client's attempt to the replica that holds its call; false when that replica is not alive. */
  begin(): Promise<boolean>;
  /** Reports the number of read bytes to the replica that holds the call; false when that replica is not alive. */
  report(bytes: number): Promise<boolean>;
  /** Called when the client has disconnected. */
  leave(): void;
  /** Called when the answer has ended. */
  onEnd(): void;
}

/** A client of this replica whose call is at another replica, the holder. */
export class AwaitedRound implements AbortListener {
  readonly #options: AwaitedRoundOptions;
  #count = 0;
  #writtenBytes = 0;
  #readBytes = 0;
  #isFull = false;
  #reportedBytes = 0;
  #missed = 0;
  #hasBegun = false;
  #isChecking = false;
  #hasEnded = false;

  constructor(options: AwaitedRoundOptions) {
    this.#options = options;
    options.answer.addEventListener('abort', this);
  }

  /** Called when the client has disconnected. */
  handleEvent(): void {
    if (this.#hasEnded) return;
    this.#options.leave();
    this.#end();
  }

  /**
   * Checks that the holder is alive and that no message was lost; sends the attempt if it was not sent yet.
   * @throws StoreAwayError when the attempt was not sent, or may not have been
   */
  async check(): Promise<void> {
    if (this.#isChecking || this.#hasEnded) return;
    this.#isChecking = true;
    try {
      if (await (this.#hasBegun ? this.#report() : this.#options.begin())) {
        this.#hasBegun = true;
        this.#missed = 0;
      } else if (++this.#missed >= MAX_MISSED) this.#lost();
    } finally {
      this.#isChecking = false;
    }
  }

  receive({ number, step }: NumberedStep): void {
    if (this.#hasEnded) return;
    const expected = step[0] === 'place' ? this.#count : this.#count + 1;
    if (number < expected) return; // The message has arrived before: it was sent twice.
    if (number > expected) {
      this.#lost();
      return;
    }
    this.#count = number;
    this.#do(step);
  }

  /** Ends the client's answer: the holder is gone or does not know the attempt, or one of its messages was lost. */
  #lost(): void {
    this.#end();
    this.#options.answer.error(createReplicaLost(this.#options.onlyReads()));
  }

  /** Stops passing on the answer: the client gets another one. */
  giveUp(): void {
    if (!this.#hasEnded) this.#end();
  }

  /** Called when the holder does not know the attempt. */
  unknown(): void {
    if (!this.#hasEnded) this.#lost();
  }

  #do(step: RoundStep): void {
    const { answer } = this.#options;
    switch (step[0]) {
      case 'place':
        return;
      case 'message':
        answer.message(step[1]);
        return;
      case 'hold':
        answer.hold();
        return;
      case 'retry':
        answer.retry?.(step[1]);
        return;
      case 'start':
        answer.start(step[1] ?? undefined, step[2] ?? undefined);
        return;
      case 'data':
        this.#write(Buffer.from(step[1], 'base64'));
        return;
    }
    this.#end();
    if (step[0] === 'result') answer.result(step[1]);
    else if (step[0] === 'error') answer.error(restoreWireError(step[1]));
    else if (step[0] === 'fail') answer.fail(restoreFailure(step[1]));
    else if (step[0] === 'cancel') answer.cancel();
    else answer.end();
  }

  #write(bytes: Buffer): void {
    const { answer } = this.#options;
    this.#writtenBytes += bytes.length;
    const hasRoom = answer.data(bytes);
    if (this.#isFull) return;
    if (hasRoom) this.#read();
    else {
      this.#isFull = true;
      answer.onDrain(() => {
        this.#isFull = false;
        this.#read();
      });
    }
  }

  /** Called when the client can receive more. */
  #read(): void {
    this.#readBytes = this.#writtenBytes;
    // If the report fails, the next check finds that out.
    if (this.#readBytes - this.#reportedBytes >= REPORT_BYTES) void this.#report().catch(() => {});
  }

  async #report(): Promise<boolean> {
    if (this.#hasEnded) return true;
    this.#reportedBytes = this.#readBytes;
    return this.#options.report(this.#readBytes);
  }

  #end(): void {
    this.#hasEnded = true;
    this.#options.answer.removeEventListener('abort', this);
    this.#options.onEnd();
  }
}
