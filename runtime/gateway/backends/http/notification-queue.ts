/** Sends messages that get no answer. A message may be lost; the log then has a line. */
import type { RequestSender } from '../../../http/client.ts';
import type { BackendContext } from '../context.ts';
import type { MessageKind } from '../messages/message-kind.ts';

/**
 * Limit on the unacknowledged messages of one session, and on its unacknowledged notifications; further ones are dropped. A backend can send requests
 * faster than it reads the responses.
 */
const MAX_KEPT = 256;

/**
 * The number of messages that are sent at a time; further messages wait. All sessions share the connections for notifications. A call may wait for a
 * message, and the call's time limit continues meanwhile.
 */
const MAX_MESSAGES_UNDER_WAY = 64;
const MAX_NOTICES_UNDER_WAY = 8;

export interface NotificationQueueOptions<S> {
  /** Returns the session, and opens one if there is none. */
  open(): Promise<S>;
  send(session: S, text: string, via: RequestSender): Promise<void>;
  /** Whether the error of a message means that the backend no longer knows the session; the session is then dropped. */
  hasForgotten(session: S, error: unknown): Promise<boolean>;
}

/** The ordered messages of one pool. */
class Lane {
  readonly via: RequestSender;
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  /** @param most the number of messages that may be sent at a time */
  constructor(via: RequestSender, most: number) {
    this.via = via;
    this.#most = most;
  }

  get size(): number {
    return this.#underWay + this.#waiting.length;
  }

  /** Whether a message may be sent: resolves with false when it may not within the time limit. After it was sent, `leave` must be called. */
  enter(limitMs: number): Promise<boolean> | true {
    if (this.#underWay < this.#most) {
      this.#underWay++;
      return true;
    }
    return new Promise(resolve => {
      const timer = setTimeout(() => {
        this.#waiting.shift(); // All waiting messages have the same limit, so the first one has waited longest.
        resolve(false);
      }, limitMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  /** Lets the message that has waited longest be sent. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#underWay--;
    else next();
  }
}

export class NotificationQueue<S> {
  readonly #context: BackendContext;
  readonly #options: NotificationQueueOptions<S>;
  /** Messages that the backend or a call waits for. */
  readonly #messages: Lane;
  /** Notifications of a client, whose number the client decides. */
  readonly #notices: Lane;

  constructor(context: BackendContext, options: NotificationQueueOptions<S>) {
    this.#context = context;
    this.#options = options;
    this.#messages = new Lane(context.client.messages, MAX_MESSAGES_UNDER_WAY);
    this.#notices = new Lane(context.client.notices, MAX_NOTICES_UNDER_WAY);
  }

  /** Sends a notification or a response, as `kind` says. Never rejects. */
  async post(text: string, kind: MessageKind | undefined): Promise<void> {
    const { backend, client, log, timeoutMs } = this.#context;
    const lane = isNotice(kind) ? this.#notices : this.#messages;
    if (lane.size >= MAX_KEPT || !client.texts.take(text.length)) {
      log.debug({ backend }, 'a message was dropped: too many messages wait for the backend');
      return;
    }
    if (await lane.enter(timeoutMs)) {
      try {
        await this.#deliver(text, kind, lane.via);
      } catch (error) {
        log.debug({ backend, error: (error as Error).message }, 'a message was not delivered');
      }
      lane.leave();
    } else log.debug({ backend }, 'a message was dropped: the backend does not accept the messages before it');
    client.texts.release(text.length);
  }

  /** If the backend has lost the session, the notification is sent once more in a new session. */
  async #deliver(text: string, kind: MessageKind | undefined, via: RequestSender): Promise<void> {
    const session = await this.#options.open();
    try {
      await this.#options.send(session, text, via);
    } catch (error) {
      if (!(await this.#options.hasForgotten(session, error))) throw error;
      // A response is not sent again: it belongs to a request of the lost session.
      if (kind?.type !== 'notification') return;
      await this.#options.send(await this.#options.open(), text, via);
    }
  }
}

function isNotice(kind: MessageKind | undefined): boolean {
  return kind?.type === 'notification' && kind.method !== 'notifications/cancelled';
}
