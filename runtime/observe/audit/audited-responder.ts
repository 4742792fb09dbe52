import type { AbortListener } from '#shared/util';
import { getFailureCode } from '../../mcp/abortable-responder.ts';
import type { BackendError } from '../../mcp/backend-error.ts';
import type { ClientResponder } from '../../mcp/handler.ts';
import type { WireError } from '../../mcp/wire-error.ts';
import type { AuditRecord } from './audit-record.ts';

/**
 * Forwards an answer and records its end. Answers of all transports pass through this class before they become a document, an event or a part of
 * a batch, so that it records an error in any of them, even one that comes late in an answer.
 */
export class AuditedResponder implements ClientResponder {
  private readonly _answer: ClientResponder;
  private readonly _record: AuditRecord;
  private _length: number | undefined;
  private _isCancelled = false;

  constructor(answer: ClientResponder, record: AuditRecord) {
    this._answer = answer;
    this._record = record;
    answer.onAbort(() => {
      if (!this._isCancelled) record.finish('client_gone');
    });
  }

  get aborted(): boolean {
    return this._answer.aborted;
  }

  addEventListener(type: 'abort', listener: AbortListener): void {
    this._answer.addEventListener(type, listener);
  }

  removeEventListener(type: 'abort', listener: AbortListener): void {
    this._answer.removeEventListener(type, listener);
  }

  onAbort(callback: () => void): void {
    this._answer.onAbort(callback);
  }

  result(json: string | Buffer): void {
    this._keep(json);
    this._answer.result(json);
    this._record.finish();
  }

  error(error: WireError): void {
    this._record.refused(error.code, error.message);
    this._answer.error(error);
    this._record.finish();
  }

  fail(error: BackendError): void {
    this._record.failure = error.reason;
    this._record.concerns(error.backend);
    this._record.refused(getFailureCode(error.reason, this._record.isStateless), error.message);
    this._answer.fail(error);
    this._record.finish();
  }

  message(json: string): boolean {
    return this._answer.message(json);
  }

  hold(): void {
    this._answer.hold();
  }

  retry(ms: number): void {
    this._answer.retry?.(ms);
  }

  cancel(): void {
    this._isCancelled = true;
    this._answer.cancel();
    this._record.finish('cancelled');
  }

  start(length: number | undefined, httpStatus?: number): void {
    this._length = length;
    this._answer.start(length, httpStatus);
  }

  /** The chunk is read before it is forwarded, because its owner may reuse the memory afterwards. */
  data(chunk: Uint8Array): boolean {
    this._record.responseBytes = (this._record.responseBytes ?? 0) + chunk.length;
    this._record.answerError?.read(chunk, chunk.length === this._length);
    this._record.response?.add(chunk);
    return this._answer.data(chunk);
  }

  onDrain(resume: () => void): void {
    this._answer.onDrain(resume);
  }

  end(): void {
    this._answer.end();
    this._record.finish();
  }

  private _keep(json: string | Buffer): void {
    const record = this._record;
    record.responseBytes = Buffer.byteLength(json);
    record.response?.add(typeof json === 'string' ? Buffer.from(json) : json);
  }
}
