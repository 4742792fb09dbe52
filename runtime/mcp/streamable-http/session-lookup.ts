import type { MessageContext } from '../handler.ts';
import type { LiveSession } from '../live-session.ts';
import { createInvalidRequest } from '../refuse.ts';
import type { RequestGate } from '../request-gate.ts';
import type { SessionStore } from '../sessions.ts';
import type { SharedEdge } from '../shared-edge.ts';
import { WIRE_CODE, WireError } from '../wire-error.ts';

/** Runs when the session is found, with the message's context of that moment. */
export type SessionStep<S> = (session: LiveSession<S>, context: MessageContext) => void | Promise<void>;

export interface SessionLookupOptions<S> {
  readonly guard: RequestGate;
  readonly sessions: SessionStore<S>;
  readonly shared: SharedEdge<S> | undefined;
}

/** Finds the session that a request names by `Mcp-Session-Id`, here or at another replica. */
export class SessionLookup<S> {
  readonly #guard: RequestGate;
  readonly #sessions: SessionStore<S>;
  readonly #shared: SharedEdge<S> | undefined;

  constructor({ guard, sessions, shared }: SessionLookupOptions<S>) {
    this.#guard = guard;
    this.#sessions = sessions;
    this.#shared = shared;
  }

  /** Acts in the session: at once, unless the store has to be queried for it. */
  inSession(context: MessageContext, id: string | undefined, act: SessionStep<S>): void | Promise<void> {
    const shared = this.#shared;
    if (shared === undefined) return act(this.session(context, id), context);
    const session = this.#findHeld(context, id);
    if (session === undefined || !shared.isFresh) return this.#ask(shared, session, context, id, act);
    this.#guard.checkOwner(context.identity, session, id);
    return act(session, context);
  }

  /**
   * The session, with its lifetime renewed, when no replicas share sessions. An unknown session is 404, never 401: a client then
   * initializes again.
   */
  session(context: MessageContext, id: string | undefined): LiveSession<S> {
    const session = this.#findHeld(context, id);
    if (session === undefined) {
      throw new WireError(WIRE_CODE.sessionNotFound, 'session not found', { httpStatus: 404 }).withId(id);
    }
    this.#guard.checkOwner(context.identity, session, id);
    return session;
  }

  async #ask(
    shared: SharedEdge<S>,
    liveSession: LiveSession<S> | undefined,
    context: MessageContext,
    id: string | undefined,
    act: SessionStep<S>,
  ): Promise<void> {
    try {
      const isHere = liveSession !== undefined && !(await shared.hasEnded(liveSession));
      const name = context.http.headers['mcp-session-id'] as string;
      const session = isHere ? liveSession : await shared.adopt(context, name);
      // Other rules may apply by now.
      const current = await this.#guard.current(context);
      this.#guard.checkOwner(current.identity, session, id);
      await act(session, current);
    } catch (error) {
      throw error instanceof WireError && error.id === undefined ? error.withId(id) : error;
    }
  }

  /** The session, if this replica has it. */
  #findHeld({ http: req }: MessageContext, id: string | undefined): LiveSession<S> | undefined {
    const header = req.headers['mcp-session-id'];
    if (typeof header !== 'string') throw createInvalidRequest(400, 'Mcp-Session-Id header is required', id);
    return this.#sessions.touch(header);
  }
}
