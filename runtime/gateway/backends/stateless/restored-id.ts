/** Restores the original id in the answer to a request that was sent under another id. */

import type { BackendError } from '../../../mcp/backend-error.ts';
import type { Envelope } from '../../../mcp/envelope.ts';
import type { ResponseSink } from '../../../mcp/response-sink.ts';
import { ResponseRewriter } from '../messages/response-rewriter.ts';

/** Replaces the id, in any spelling, while the answer streams, so that answers of any size can be streamed. */
export class RestoredId implements ResponseSink {
  private readonly _sink: ResponseSink;
  private readonly _rewriter: ResponseRewriter;

  /** @param asked the original id as JSON text */
  constructor(sink: ResponseSink, asked: string) {
    this._sink = sink;
    this._rewriter = new ResponseRewriter(asked);
  }

  message(notification: Envelope): void {
    this._sink.message(notification);
  }

  request(json: string, id: string, method: string): void {
    this._sink.request?.(json, id, method);
  }

  start(_length: number | undefined, httpStatus?: number): void {
    this._sink.start(undefined, httpStatus);
  }

  data(chunk: Uint8Array): boolean {
    const piece = this._rewriter.push(chunk);
    return piece.length === 0 || this._sink.data(piece);
  }

  onDrain(resume: () => void): void {
    this._sink.onDrain(resume);
  }

  end(): void {
    this._sink.end();
  }

  fail(error: BackendError): void {
    this._sink.fail(error);
  }
}
