import { createProtocolError, createTooLarge } from '../../failure.ts';
import { beginsBatch } from '../../messages/batch.ts';
import { BoundedBuffer } from '../../messages/bounded-buffer.ts';
import { beginsObject, MAX_ERROR_BODY_BYTES } from '../../messages/response-body.ts';
import { BatchBody } from './batch-body.ts';
import { CallState } from './call-state.ts';
import { ForwardedBody } from './forwarded-body.ts';
import type { PostCall } from './post-call.ts';
import { ResponseScan } from './response-scan.ts';

/** A JSON body of which the sink has received nothing yet. */
export class JsonBody extends CallState {
  private readonly _scan: ResponseScan;
  private readonly _length: number | undefined;
  private _bytes = 0;
  /** An error that may lack an id is not forwarded before it is complete, because the gateway adds the id of the request. */
  private _buffer: BoundedBuffer | undefined;

  constructor(id: string, length: number | undefined) {
    super();
    this._scan = new ResponseScan(id, length);
    this._length = length;
  }

  override data(call: PostCall, chunk: Buffer): void {
    const { backend, client } = call.context;
    const isFirst = this._bytes === 0;
    this._bytes += chunk.length;
    if (this._bytes > client.maxResponseBytes) {
      call.fail(createTooLarge(backend));
    } else if (isFirst && call.session?.mayBatch === true && beginsBatch(chunk)) {
      const batch = new BatchBody(client.maxResponseBytes);
      call.become(batch);
      batch.data(call, chunk);
    } else if (isFirst && !beginsObject(chunk)) {
      call.fail(createProtocolError(backend, 'answered with something other than a JSON object'));
    } else this._scanned(call, chunk, isFirst);
  }

  override end(call: PostCall): void {
    const { violation } = this._scan;
    if (violation === undefined) call.fail(createProtocolError(call.context.backend, 'answered with an empty body'));
    else call.failByViolation(violation, this._buffer?.bytes);
  }

  private _scanned(call: PostCall, chunk: Buffer, isFirst: boolean): void {
    const violation = this._scan.push(chunk);
    if (this._scan.mayLackId && this._bytes <= MAX_ERROR_BODY_BYTES) {
      call.markActivity();
      this._buffer ??= new BoundedBuffer(MAX_ERROR_BODY_BYTES);
      this._buffer.push(chunk);
    } else if (violation !== undefined) {
      call.failByViolation(violation, isFirst ? chunk : undefined);
    } else {
      const beginning = this._buffer === undefined ? chunk : Buffer.concat([this._buffer.bytes, chunk]);
      call.become(new ForwardedBody(this._scan, this._bytes));
      // The beginning may be the whole answer: even one without a known length usually arrives as one chunk.
      call.begin(beginning, this._scan.violationAtEnd === undefined, this._length);
      call.write(beginning);
    }
  }
}
