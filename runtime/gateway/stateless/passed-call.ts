import type { ClientAnswer } from '../../mcp/handler.ts';
import type { AnswerSink, BackendError } from '../backend/backend.ts';
import { announcesChange } from '../capabilities.ts';
import type { BackendConnection } from '../connection.ts';
import type { Sender } from '../sender.ts';
import type { SessionUse } from './caller-sessions.ts';

export interface PassedCallOptions {
  readonly connection: BackendConnection;
  readonly sender: Sender;
  /** Ends with the call. */
  readonly use: SessionUse;
}

/** One call of a stateless client while a stateless backend works on it: everything goes on as it comes. */
export class PassedCall implements AnswerSink {
  readonly #answer: ClientAnswer;
  readonly #options: PassedCallOptions;

  constructor(answer: ClientAnswer, options: PassedCallOptions) {
    this.#answer = answer;
    this.#options = options;
  }

  message(json: string): void {
    if (announcesChange(json)) this.#options.connection.listChanged(this.#options.sender);
    else this.#answer.message(json);
  }

  start(length: number | undefined, httpStatus?: number): void {
    this.#answer.start(length, httpStatus);
  }

  data(chunk: Uint8Array): boolean {
    return this.#answer.data(chunk);
  }

  onDrain(resume: () => void): void {
    this.#answer.onDrain(resume);
  }

  end(): void {
    this.#options.use.end();
    this.#answer.end();
  }

  fail(error: BackendError): void {
    this.#options.use.end();
    if (error.reason === 'connection_failed') this.#options.connection.monitor.lookSoon();
    this.#answer.fail(error);
  }
}
