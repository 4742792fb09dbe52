import type { AnswerSink, BackendError } from './backend/backend.ts';
import { announcesChange } from './capabilities.ts';

export interface RelayObserver {
  /** The answer has ended, well or not; called once. */
  ended(failure?: BackendError): void;
  /** The backend said that a list of its own changed. Ours may not have yet, so the client does not hear it from there. */
  listChanged(): void;
}

/** Hands the answer on as it comes. */
export class RelaySink implements AnswerSink {
  readonly #target: AnswerSink;
  readonly #observer: RelayObserver;

  constructor(target: AnswerSink, observer: RelayObserver) {
    this.#target = target;
    this.#observer = observer;
  }

  message(json: string): void {
    if (announcesChange(json)) this.#observer.listChanged();
    else this.#target.message(json);
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
    this.#observer.ended();
    this.#target.end();
  }

  fail(error: BackendError): void {
    this.#observer.ended(error);
    this.#target.fail(error);
  }
}
