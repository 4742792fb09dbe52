/** The answer to a request that was sent under another id, given the id that the asker knows. */
import type { Envelope } from '../../../mcp/envelope.ts';
import type { AnswerSink, BackendError } from '../backend.ts';

/**
 * Replaces the id in passing, so that an answer of any size can be a stream. The id must be a string that occurs nowhere else
 * by chance: that it stands between quotes of its own tells it from a copy inside another string.
 */
export class RestoredId implements AnswerSink {
  readonly #sink: AnswerSink;
  readonly #sent: Buffer;
  readonly #asked: Buffer;
  /** The end of what came so far, when the id may begin there. */
  #held: Buffer = Buffer.alloc(0);

  /** `sent` and `asked`: the ids as JSON text. */
  constructor(sink: AnswerSink, sent: string, asked: string) {
    this.#sink = sink;
    this.#sent = Buffer.from(sent);
    this.#asked = Buffer.from(asked);
  }

  message(notification: Envelope): void {
    this.#sink.message(notification);
  }

  request(json: string, id: string, method: string): void {
    this.#sink.request?.(json, id, method);
  }

  start(_length: number | undefined, httpStatus?: number): void {
    this.#sink.start(undefined, httpStatus);
  }

  data(chunk: Uint8Array): boolean {
    let rest = this.#held.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#held, chunk]);
    const parts: Buffer[] = [];
    for (let at = rest.indexOf(this.#sent); at !== -1; at = rest.indexOf(this.#sent)) {
      parts.push(rest.subarray(0, at), this.#asked);
      rest = rest.subarray(at + this.#sent.length);
    }
    const kept = Math.min(this.#sent.length - 1, rest.length);
    parts.push(rest.subarray(0, rest.length - kept));
    this.#held = rest.subarray(rest.length - kept);
    const done = Buffer.concat(parts);
    return done.length === 0 || this.#sink.data(done);
  }

  onDrain(resume: () => void): void {
    this.#sink.onDrain(resume);
  }

  end(): void {
    if (this.#held.length > 0) this.#sink.data(this.#held);
    this.#sink.end();
  }

  fail(error: BackendError): void {
    this.#sink.fail(error);
  }
}
