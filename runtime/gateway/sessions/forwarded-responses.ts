/**
 * Sends clients' answers to the replica that asked the question. It repeats each until that replica has acknowledged it: a store may lose its
 * latest writes in a failover, and a person answers only once.
 */
import type { Logger } from '../../observe/log.ts';
import type { SharedSessions } from '../../shared-sessions/store.ts';

/** Pause between two attempts, in milliseconds, and the maximum number of attempts: a backend waits a minute or longer for an answer. */
const AGAIN_MS = 1_000;
const MAX_TRIES = 60;

/** Limits on all unacknowledged answers; bytes of UTF-8. An answer that exceeds them is sent only once. */
const MAX_WAITING = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;

interface ForwardedResponse {
  readonly to: number;
  /** The key of the client's session. */
  readonly session: string;
  /** The client's message, as JSON text. */
  readonly text: string;
}

interface WaitingResponse extends ForwardedResponse {
  readonly bytes: number;
  tries: number;
}

export class ForwardedResponses {
  readonly #all: SharedSessions;
  readonly #log: Logger;
  /** Answers that the other replica has not acknowledged yet, by session and question. */
  readonly #waiting: Map<string, WaitingResponse> = new Map();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(all: SharedSessions, log: Logger) {
    this.#all = all;
    this.#log = log;
  }

  /**
   * Sends a client's answer to the replica that asked the question.
   * @param id id of the question, as JSON text: only the first answer counts
   */
  forward(answer: ForwardedResponse, id: string): void {
    const key = formatName(answer.session, id);
    const bytes = Buffer.byteLength(answer.text);
    const hasRoom = this.#waiting.size < MAX_WAITING && this.#bytes + bytes <= MAX_BYTES;
    if (hasRoom && !this.#waiting.has(key)) {
      this.#waiting.set(key, { ...answer, bytes, tries: 1 });
      this.#bytes += bytes;
      this.#timer ??= setInterval(() => this.#sendAgain(), AGAIN_MS).unref();
    }
    this.#send(answer);
  }

  /** Called when the replica of the question has the answer, or no longer waits for it. */
  received(session: string, id: string): void {
    this.#forget(formatName(session, id));
  }

  #sendAgain(): void {
    for (const [key, answer] of this.#waiting) {
      if (answer.tries++ < MAX_TRIES) this.#send(answer);
      else {
        this.#forget(key);
        this.#log.warn({ replica: answer.to }, 'an answer of a client did not reach the replica that asked');
      }
    }
  }

  #send({ to, session, text }: ForwardedResponse): void {
    this.#all.send(to, { type: 'answer', session, text }).catch((error: Error) => {
      this.#log.debug({ cause: error.message }, 'an answer of a client could not be sent to another replica');
    });
  }

  #forget(key: string): void {
    const answer = this.#waiting.get(key);
    if (answer === undefined) return;
    this.#waiting.delete(key);
    this.#bytes -= answer.bytes;
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function formatName(session: string, id: string): string {
  return `${session} ${id}`;
}
