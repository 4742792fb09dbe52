/** What sending a message without an answer is like for its sender: it may get lost, and that is worth a line in the log. */
import type { RequestSender } from '../../../http/client.ts';
import type { BackendContext } from '../context.ts';
import type { MessageKind } from '../messages/message-kind.ts';

/**
 * Limit on the messages of one session that the backend has not acknowledged, and the same again for notifications; further ones
 * are dropped. A backend can ask faster than it reads responses.
 */
const MAX_KEPT = 256;

/** Those under way; others wait. All sessions share the connections for notices. A call may wait for a message, and its time counts. */
const MAX_MESSAGES_UNDER_WAY = 64;
const MAX_NOTICES_UNDER_WAY = 8;

export interface NotificationQueueOptions<S> {
  /** The session, opened when there is none. */
  open(): Promise<S>;
  send(session: S, text: string, via: RequestSender): Promise<void>;
  /** Whether a message met this error because the backend does not know the session any more, which is left then. */
  hasForgotten(session: S, error: unknown): Promise<boolean>;
}

/** What goes out over one pool, in order. */
class Lane {
  readonly via: RequestSender;
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  /** @param most that may be under way */
  constructor(via: RequestSender, most: number) {
    this.via = via;
    this.#most = most;
  }

  get kept(): number {
    return this.#underWay + this.#waiting.length;
  }

  /** Resolves with false when there was no place for so long. The holder of a place gives it back by `leave`. */
  enter(limitMs: number): Promise<boolean> | true {
    if (this.#underWay < this.#most) {
      this.#underWay++;
      return true;
    }
    return new Promise(resolve => {
      const timer = setTimeout(() => {
        this.#waiting.shift(); // All have the same limit: this is the one that has waited longest.
        resolve(false);
      }, limitMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  /** Who has waited longest takes the place over. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#underWay--;
    else next();
  }
}

export class NotificationQueue<S> {
  readonly #context: BackendContext;
  readonly #options: NotificationQueueOptions<S>;
  /** What the backend or a call waits for. */
  readonly #messages: Lane;
  /** Notifications of a client, as often as it likes. */
  readonly #notices: Lane;

  constructor(context: BackendContext, options: NotificationQueueOptions<S>) {
    this.#context = context;
    this.#options = options;
    this.#messages = new Lane(context.client.messages, MAX_MESSAGES_UNDER_WAY);
    this.#notices = new Lane(context.client.notices, MAX_NOTICES_UNDER_WAY);
  }

  /** Sends a notification or a response, whichever `kind` says. Never rejects. */
  async post(text: string, kind: MessageKind | undefined): Promise<void> {
    const { backend, client, log, timeoutMs } = this.#context;
    const lane = isNotice(kind) ? this.#notices : this.#messages;
    if (lane.kept >= MAX_KEPT || !client.texts.take(text.length)) {
      log.debug({ backend }, 'a message was dropped: too many wait to be taken');
      return;
    }
    if (await lane.enter(timeoutMs)) {
      try {
        await this.#deliver(text, kind, lane.via);
      } catch (error) {
        log.debug({ backend, error: (error as Error).message }, 'a message was not delivered');
      }
      lane.leave();
    } else log.debug({ backend }, 'a message was dropped: the backend does not take those before it');
    client.texts.release(text.length);
  }

  /** A notification that meets a lost session is sent once more, in a new one. */
  async #deliver(text: string, kind: MessageKind | undefined, via: RequestSender): Promise<void> {
    const session = await this.#options.open();
    try {
      await this.#options.send(session, text, via);
    } catch (error) {
      if (!(await this.#options.hasForgotten(session, error))) throw error;
      // A response belongs to a request of the session that is gone.
      if (kind?.type !== 'notification') return;
      await this.#options.send(await this.#options.open(), text, via);
    }
  }
}

function isNotice(kind: MessageKind | undefined): boolean {
  return kind?.type === 'notification' && kind.method !== 'notifications/cancelled';
}
