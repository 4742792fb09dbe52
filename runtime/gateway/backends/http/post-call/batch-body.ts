import { createProtocolError, createTooLarge } from '../../failure.ts';
import { splitBatch } from '../../messages/batch.ts';
import { BoundedBuffer } from '../../messages/bounded-buffer.ts';
import { CallState } from './call-state.ts';
import type { PostCall } from './post-call.ts';
import { receiveMessage } from './receive-message.ts';

/** A JSON body that is an array of messages; one of them should be the response. */
export class BatchBody extends CallState {
  private readonly _gathered: BoundedBuffer;

  constructor(maxBytes: number) {
    super();
    this._gathered = new BoundedBuffer(maxBytes);
  }

  override data(call: PostCall, chunk: Buffer): void {
    call.markActivity();
    if (!this._gathered.push(chunk)) call.fail(createTooLarge(call.context.backend));
  }

  override end(call: PostCall): void {
    const messages = splitBatch(this._gathered.bytes);
    for (const message of messages ?? []) receiveMessage(call, message);
    const violation = messages === undefined ? 'something other than a JSON object' : 'a batch without the answer';
    call.fail(createProtocolError(call.context.backend, `answered with ${violation}`));
  }
}
