import type { ClientAnswer } from '../../mcp/handler.ts';
import type { AnswerSink, BackendError } from '../backend/backend.ts';
import { announcesChange } from '../capabilities.ts';
import type { BackendMonitor } from '../monitor.ts';

/** One call of a stateless client while a stateless backend works on it: everything goes on as it comes. */
export class PassedCall implements AnswerSink {
  readonly #answer: ClientAnswer;
  readonly #monitor: BackendMonitor;

  constructor(answer: ClientAnswer, monitor: BackendMonitor) {
    this.#answer = answer;
    this.#monitor = monitor;
  }

  message(json: string): void {
    if (announcesChange(json)) this.#monitor.lookSoon();
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
    this.#answer.end();
  }

  fail(error: BackendError): void {
    if (error.reason === 'connection_failed') this.#monitor.lookSoon();
    this.#answer.fail(error);
  }
}
