import type { MessageKind } from '../messages/message-kind.ts';
import type { OpenSession, SessionStream } from './open-session.ts';

/** Requests of the backend that may be without an answer; the oldest are forgotten. */
const MAX_ASKED = 256;

/** Sessions that were left for another one while requests ran in them: they get the answers and notifications that belong there. */
export class LeftSessions {
  readonly #sessions: Map<SessionStream, OpenSession> = new Map();
  /** The streams that requests of the backend came on which have no answer, by their ids. */
  readonly #askedIn: Map<string, SessionStream> = new Map();
  readonly #post: (session: OpenSession, text: string) => void;

  constructor(post: (session: OpenSession, text: string) => void) {
    this.#post = post;
  }

  /** The backend has sent a request on a stream. */
  asked(stream: SessionStream, id: string): void {
    this.#askedIn.set(id, stream);
    if (this.#askedIn.size > MAX_ASKED) this.#askedIn.delete(this.#askedIn.keys().next().value ?? '');
  }

  add(session: OpenSession): void {
    this.#sessions.set(session.stream, session);
  }

  delete(stream: SessionStream): void {
    this.#sessions.delete(stream);
  }

  /**
   * Posts an answer where the request came from, and a notification everywhere, since it may be about what runs there. True when it is
   * for no other session.
   */
  post(text: string, kind: MessageKind): boolean {
    if (this.#sessions.size === 0) return false;
    const asked = kind.type === 'response' ? this.#askedIn.get(kind.id) : undefined;
    if (kind.type === 'response') this.#askedIn.delete(kind.id);
    for (const session of this.#sessions.values()) {
      if (kind.type !== 'response' || asked === session.stream) this.#post(session, text);
    }
    return asked !== undefined && this.#sessions.has(asked);
  }
}
