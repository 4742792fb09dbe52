import type { IncomingHttpHeaders } from 'node:http';
import { wasBroken } from '../../../../http/connection-failure.ts';
import { getHeader } from '../../../../http/exchange.ts';
import type { BackendError } from '../../../../mcp/backend-error.ts';
import { getMediaType } from '../../context.ts';
import { createProtocolError, createStatusFailure, isCallerError } from '../../failure.ts';
import type { StreamLoss, StreamResumption } from '../stream-resumption.ts';
import { CallState } from './call-state.ts';
import type { EventStream } from './event-stream.ts';
import type { PostCall } from './post-call.ts';

/** The stream has ended without the response: the call waits, requests the events after the last one, and continues with that stream. */
export class LostStream extends CallState {
  private readonly _stream: EventStream;
  private readonly _resumption: StreamResumption;

  constructor(stream: EventStream, resumption: StreamResumption) {
    super();
    this._stream = stream;
    this._resumption = resumption;
  }

  /**
   * Schedules a request for the rest of the stream, or gives up.
   * @param loss how the stream or the attempt ended
   * @param lastEventId id of the stream's last event; empty when it has none
   */
  waitOrFail(call: PostCall, failure: BackendError, loss: StreamLoss, lastEventId: string): void {
    const waitMs = this._resumption.next(loss, lastEventId, this._stream.retryMs);
    if (waitMs === undefined) {
      call.fail(failure);
      return;
    }
    call.sink.delayed?.();
    call.become(this);
    call.suspend(waitMs, () => this._resume(call));
  }

  override head(call: PostCall, status: number, headers: IncomingHttpHeaders): void {
    if (status === 200 && getMediaType(getHeader(headers, 'content-type')) === 'text/event-stream') {
      this._stream.open(call);
      return;
    }
    call.discardRest();
    const failure = createStatusFailure(call.context, status);
    // Only a passing failure justifies another attempt.
    if (status >= 500 || status === 429) this.waitOrFail(call, failure, 'closed', '');
    else if (isCallerError(failure)) call.fail(failure);
    else call.fail(createProtocolError(call.context.backend, `lost the answer (its stream is gone: HTTP ${status})`));
  }

  override failed(call: PostCall, failure: BackendError, error: Error): void {
    // If no connection can be opened (refused, unknown name, untrusted certificate), there is no backend to wait for.
    if (wasBroken(error)) this.waitOrFail(call, failure, 'unanswered', '');
    else call.fail(failure);
  }

  private _resume(call: PostCall): void {
    call.resume([...(call.session?.streamHeaders ?? []), 'last-event-id', this._resumption.lastEventId]);
  }
}
