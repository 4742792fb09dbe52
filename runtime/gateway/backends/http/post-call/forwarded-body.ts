import { createProtocolError, createTooLarge } from '../../failure.ts';
import { CallState } from './call-state.ts';
import type { PostCall } from './post-call.ts';
import type { ResponseScan } from './response-scan.ts';

/** A JSON body that the gateway forwards to the sink while it arrives. */
export class ForwardedBody extends CallState {
  private readonly _scan: ResponseScan;
  private _bytes: number;

  /** @param bytes the number of received bytes */
  constructor(scan: ResponseScan, bytes: number) {
    super();
    this._scan = scan;
    this._bytes = bytes;
  }

  override data(call: PostCall, chunk: Buffer): void {
    this._bytes += chunk.length;
    if (this._bytes > call.context.client.maxResponseBytes) {
      call.fail(createTooLarge(call.context.backend));
      return;
    }
    const violation = this._scan.push(chunk);
    if (violation !== undefined) {
      call.failByViolation(violation);
      return;
    }
    call.markActivity();
    call.write(chunk);
  }

  override end(call: PostCall): void {
    const violation = this._scan.violationAtEnd;
    if (violation === undefined) call.complete();
    else call.fail(createProtocolError(call.context.backend, violation));
  }
}
