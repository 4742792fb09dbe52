import { AbortableResponder } from './abortable-responder.ts';
import { formatIdKey } from './envelope.ts';
import type { ClientResponder } from './handler.ts';
import { readEnvelope } from './read-envelope.ts';
import { formatErrorResponse, formatResultResponse, WIRE_CODE, WireError } from './wire-error.ts';

/** Limit on the total of the collected answers of one connection, in bytes: 16 MiB. */
export const MAX_COLLECTED_BYTES: number = 16 * 1024 * 1024;

/** Counts the bytes of the collected answers of one connection. */
export class BoundedBytes {
  #bytes = 0;

  /** Takes bytes; false when the limit is exceeded. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > MAX_COLLECTED_BYTES) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

export interface CollectedResponderOptions {
  readonly bytes: BoundedBytes;
  /** Sends a message before the answer. Returns whether the client gets the message. */
  readonly message: (json: string) => boolean;
  /** The complete answer as JSON text; undefined when there is none. Called once, unless the answer was aborted. */
  readonly deliver: (json: string | undefined) => void;
  /** Called once, when the response is complete or no longer needed. */
  readonly onFinish: () => void;
}

/** Collects an answer that shares its connection with other answers, and sends it as a whole. */
export class CollectedResponder extends AbortableResponder implements ClientResponder {
  readonly #id: string;
  readonly #options: CollectedResponderOptions;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #hasEnded = false;

  constructor(id: string, options: CollectedResponderOptions) {
    super();
    this.#id = id;
    this.#options = options;
  }

  result(json: string): void {
    this.#deliver(formatResultResponse(this.#id, json));
  }

  error(error: WireError): void {
    this.#deliver(formatErrorResponse(this.#id, error));
  }

  /** Does nothing: the stream is already open, or the client accepts no stream. */
  hold(): void {}

  message(json: string): boolean {
    return !this.#hasEnded && this.#options.message(json);
  }

  start(): void {}

  data(chunk: Uint8Array): boolean {
    if (this.#hasEnded) return true;
    if (this.#options.bytes.take(chunk.length)) {
      this.#size += chunk.length;
      this.#chunks.push(Uint8Array.from(chunk)); // A copy, because the chunk is a part of a larger buffer.
      return true;
    }
    this.error(createTooLargeError());
    this.raise();
    return true;
  }

  onDrain(resume: () => void): void {
    queueMicrotask(resume);
  }

  end(): void {
    const json = Buffer.concat(this.#chunks, this.#size).toString('utf8');
    // Only a JSON-RPC response to this request: in a batch, other text could end the JSON of this answer and look like another answer.
    if (isAnswerTo(this.#id, json)) this.#deliver(json);
    else this.error(new WireError(WIRE_CODE.internalError, 'the answer is not a JSON-RPC response to this request'));
  }

  cancel(): void {
    if (this.#hasEnded) return;
    this.#deliver(undefined);
    this.raise();
  }

  /** The client has disconnected. */
  abort(): void {
    if (this.#hasEnded) return;
    this.#end();
    this.#options.onFinish();
    this.raise();
  }

  #deliver(json: string | undefined): void {
    if (this.#hasEnded) return;
    this.#end();
    this.#options.deliver(json);
    this.#options.onFinish();
  }

  #end(): void {
    this.#hasEnded = true;
    this.#options.bytes.release(this.#size);
    this.#chunks = [];
  }
}

/** The error that the client gets in place of an answer that exceeds the limit. */
export function createTooLargeError(): WireError {
  const text = `the answer is too large: the answers of a session over HTTP+SSE, or of a batch, may have ${MAX_COLLECTED_BYTES} bytes together`;
  return new WireError(WIRE_CODE.internalError, text);
}

function isAnswerTo(id: string, json: string): boolean {
  try {
    const answer = readEnvelope(json);
    return answer.kind === 'response' && answer.id !== undefined && formatIdKey(answer.id) === formatIdKey(id);
  } catch {
    return false;
  }
}
