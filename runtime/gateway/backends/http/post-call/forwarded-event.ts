import type { LongMessage } from '../../../../mcp/event-stream-parser.ts';
import { createProtocolError } from '../../failure.ts';
import { CallState } from './call-state.ts';
import type { EventStream } from './event-stream.ts';
import type { PostCall } from './post-call.ts';
import { ResponseScan } from './response-scan.ts';

/** An event with a large response that the gateway forwards to the sink while it arrives. */
export class ForwardedEvent extends CallState {
  private readonly _stream: EventStream;
  private readonly _scan: ResponseScan;

  constructor(stream: EventStream, id: string) {
    super();
    this._stream = stream;
    this._scan = new ResponseScan(id, undefined);
  }

  /** The body is still an event stream: its parser calls the object that `reader` returns. */
  override data(call: PostCall, chunk: Buffer): void {
    this._stream.data(call, chunk);
  }

  override end(call: PostCall): void {
    call.fail(createProtocolError(call.context.backend, 'closed the stream within the answer'));
  }

  /** The receiver of the event's data. */
  reader(call: PostCall): LongMessage {
    return {
      piece: bytes => {
        if (call.isSettled) return;
        const violation = this._scan.push(bytes);
        if (violation !== undefined) {
          call.failByViolation(violation);
          return;
        }
        call.markActivity();
        call.write(bytes);
      },
      end: () => {
        if (call.isSettled) return;
        const violation = this._scan.violationAtEnd;
        if (violation === undefined) call.complete();
        else call.failByViolation(violation);
      },
    };
  }
}
