import type { MessageKind } from '../messages/message-kind.ts';
import type { OpenSession, SessionStream } from './open-session.ts';

/** Maximum number of unanswered requests of the backend; the oldest are dropped. */
const MAX_ASKED = 256;

/** Sessions that were replaced while requests ran in them: they still get the answers and notifications that belong to them. */
export class ReplacedSessions {
  readonly #sessions: Map<SessionStream, OpenSession> = new Map();
  /** The streams of the backend's unanswered requests, by the requests' ids. */
  readonly #askedIn: Map<string, SessionStream> = new Map();
  readonly #post: (session: OpenSession, text: string) => void;

  constructor(post: (session: OpenSession, text: string) => void) {
    this.#post = post;
  }

  /** Records that the backend has sent a request on a stream. */
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
   * Posts an answer to the session of its request, and a notification to all sessions, since it may concern a request there. Returns true when
   * the message is for no other session.
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
