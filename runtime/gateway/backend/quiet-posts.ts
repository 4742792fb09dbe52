/** What sending a message without an answer is like for its sender: it may get lost, and that is worth a line in the log. */
import type { BackendContext } from './context.ts';
import { messageKind } from './message-kind.ts';

/**
 * Messages of one session that the backend has not acknowledged; more are dropped. A backend can ask faster than it takes
 * answers, and each one waits for a connection.
 */
const MAX_UNDER_WAY = 256;

export interface QuietPostOptions<S> {
  /** The session, opened when there is none. */
  open(): Promise<S>;
  send(session: S, text: string): Promise<void>;
  /** Whether a message met this error because the backend does not know the session any more, which is left then. */
  hasForgotten(session: S, error: unknown): Promise<boolean>;
}

export class QuietPosts<S> {
  readonly #context: BackendContext;
  readonly #options: QuietPostOptions<S>;
  #underWay = 0;

  constructor(context: BackendContext, options: QuietPostOptions<S>) {
    this.#context = context;
    this.#options = options;
  }

  /** Sends a notification or a response. Never rejects. */
  async post(text: string): Promise<void> {
    const { backend, log } = this.#context;
    if (this.#underWay >= MAX_UNDER_WAY) {
      log.debug({ backend }, 'a message was dropped: too many wait to be taken');
      return;
    }
    this.#underWay++;
    try {
      await this.#deliver(text);
    } catch (error) {
      log.debug({ backend, error: (error as Error).message }, 'a message was not delivered');
    } finally {
      this.#underWay--;
    }
  }

  /** A notification that meets a lost session is sent once more, in a new one. */
  async #deliver(text: string): Promise<void> {
    const session = await this.#options.open();
    try {
      await this.#options.send(session, text);
    } catch (error) {
      if (!(await this.#options.hasForgotten(session, error))) throw error;
      // A response belongs to a request of the session that is gone.
      if (messageKind(Buffer.from(text))?.type !== 'notification') return;
      await this.#options.send(await this.#options.open(), text);
    }
  }
}
