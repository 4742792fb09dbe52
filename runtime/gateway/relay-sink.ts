import type { AnswerSink, BackendError } from './backend/backend.ts';

/** Hands everything on and tells once when the answer has ended, well or not. */
export class RelaySink implements AnswerSink {
  readonly #target: AnswerSink;
  readonly #ended: (failure?: BackendError) => void;

  constructor(target: AnswerSink, ended: (failure?: BackendError) => void) {
    this.#target = target;
    this.#ended = ended;
  }

  message(json: string): void {
    this.#target.message(json);
  }

  start(length: number | undefined): void {
    this.#target.start(length);
  }

  data(chunk: Uint8Array): boolean {
    return this.#target.data(chunk);
  }

  onDrain(resume: () => void): void {
    this.#target.onDrain(resume);
  }

  end(): void {
    this.#ended();
    this.#target.end();
  }

  fail(error: BackendError): void {
    this.#ended(error);
    this.#target.fail(error);
  }
}
