import type { BackendError } from '../../../../mcp/backend-error.ts';
import { EventStreamParser, type LongMessage, type StreamEvent } from '../../../../mcp/event-stream-parser.ts';
import { retryWithinBounds } from '../../backoff.ts';
import { createProtocolError, toBackendError } from '../../failure.ts';
import { splitBatches } from '../../messages/batch.ts';
import { beginsResponseTo } from '../../messages/message-kind.ts';
import { type StreamLoss, StreamResumption } from '../stream-resumption.ts';
import { CallState } from './call-state.ts';
import { ForwardedEvent } from './forwarded-event.ts';
import { LostStream } from './lost-stream.ts';
import type { PostCall } from './post-call.ts';
import { receiveMessage } from './receive-message.ts';

/**
 * An event stream that contains the response as one of its messages. If the stream is lost before, the gateway requests a stream with the rest.
 */
export class EventStream extends CallState {
  /** How long the backend wants a client to wait before it requests the rest. */
  retryMs: number | undefined;
  private _parser: EventStreamParser | undefined;
  /** Handles the time between a lost stream and the next stream. */
  private _lost: LostStream | undefined;

  /** Called when a stream begins: the first one, or a resumed one. */
  open(call: PostCall): void {
    const onEvent = (event: StreamEvent) => {
      // Other events are ignored: one without data only defines an id, and MCP uses no type other than `message`.
      if (event.event === 'message' && event.bytes.length > 0) receiveMessage(call, event.bytes);
    };
    this._parser = new EventStreamParser(call.session?.mayBatch === true ? splitBatches(onEvent) : onEvent, {
      maxEventBytes: call.context.client.maxResponseBytes,
      onRetry: ms => {
        this.retryMs = retryWithinBounds(ms);
        call.sink.retry?.(this.retryMs);
      },
      onLongMessage: beginning => this._readLongMessage(call, beginning),
    });
    call.become(this);
  }

  override data(call: PostCall, chunk: Buffer): void {
    try {
      this._parser?.push(chunk);
    } catch (error) {
      call.fail(toBackendError(call.context.backend, error));
    }
  }

  override end(call: PostCall): void {
    this._lose(call, createProtocolError(call.context.backend, 'closed the stream before the answer'), 'closed');
  }

  override failed(call: PostCall, failure: BackendError): void {
    this._lose(call, failure, 'broken');
  }

  /** The gateway forwards a large response while it arrives, like a large JSON body. It collects other long messages. */
  private _readLongMessage(call: PostCall, beginning: Buffer): LongMessage | undefined {
    if (!beginsResponseTo(beginning, call.request.id)) return undefined;
    const event = new ForwardedEvent(this, call.request.id);
    call.become(event);
    call.begin(beginning, false, undefined);
    return event.reader(call);
  }

  /** Handles the loss of the stream. If the backend's events have ids, the gateway requests a stream with the rest. */
  private _lose(call: PostCall, failure: BackendError, loss: StreamLoss): void {
    const lastEventId = this._parser?.lastEventId ?? '';
    if (lastEventId !== '' && call.session?.streamHeaders !== undefined)
      this._lost ??= new LostStream(this, new StreamResumption(call.context.reconnect));
    if (this._lost === undefined) call.fail(failure);
    else this._lost.waitOrFail(call, failure, loss, lastEventId);
  }
}
