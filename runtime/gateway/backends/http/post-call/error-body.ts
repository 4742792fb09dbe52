import { createStatusFailure } from '../../failure.ts';
import { BoundedBuffer } from '../../messages/bounded-buffer.ts';
import { isErrorResponse, MAX_ERROR_BODY_BYTES, replaceErrorId } from '../../messages/response-body.ts';
import { validateResponse } from '../../messages/response-validator.ts';
import { CallState } from './call-state.ts';
import type { PostCall } from './post-call.ts';

/** The JSON body of an error status, which may be the backend's own JSON-RPC error. */
export class ErrorBody extends CallState {
  private readonly _status: number;
  private readonly _gathered: BoundedBuffer = new BoundedBuffer(MAX_ERROR_BODY_BYTES);

  constructor(status: number) {
    super();
    this._status = status;
  }

  override data(call: PostCall, chunk: Buffer): void {
    call.markActivity();
    if (!this._gathered.push(chunk)) call.fail(createStatusFailure(call.context, this._status));
  }

  override end(call: PostCall): void {
    const status = this._status;
    const body = this._gathered.bytes;
    const error = this._replaceErrorId(call, body);
    call.reject(status, body, () =>
      error === undefined ? call.sink.fail(createStatusFailure(call.context, status)) : call.deliver(error, status),
    );
  }

  /** The body with the id of the request, if it is a JSON-RPC error for the request; undefined when it is none. */
  private _replaceErrorId({ request, session }: PostCall, body: Buffer): Buffer | undefined {
    const { id } = request;
    if (isErrorResponse(body, id) && validateResponse(body, id) === undefined) return body;
    // With 404 a backend that has sessions means that it does not know the session, and not that it does not know the request.
    const isAboutSession = this._status === 404 && session?.id !== undefined;
    return isAboutSession ? undefined : replaceErrorId(body, id);
  }
}
