import type { ServerResponse } from 'node:http';
import { LAST, readEventId } from '../event-id.ts';
import type { McpHandler, MessageContext } from '../handler.ts';
import type { LiveSession } from '../live-session.ts';
import type { RequestGate } from '../request-gate.ts';
import type { SharedEdge } from '../shared-edge.ts';
import type { StreamConnections } from '../stream-connection.ts';
import { TokenExpiry } from '../token-expiry.ts';

export interface StandingStreamsOptions<S> {
  readonly handler: McpHandler<S>;
  readonly guard: RequestGate;
  readonly outlets: StreamConnections;
  readonly shared: SharedEdge<S> | undefined;
}

/**
 * Handles clients' GET requests: for the stream of messages that belong to no request, and for the rest of a stream that was lost.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */
export class StandingStreams<S> {
  readonly #handler: McpHandler<S>;
  readonly #guard: RequestGate;
  readonly #outlets: StreamConnections;
  readonly #shared: SharedEdge<S> | undefined;

  constructor({ handler, guard, outlets, shared }: StandingStreamsOptions<S>) {
    this.#handler = handler;
    this.#guard = guard;
    this.#outlets = outlets;
    this.#shared = shared;
  }

  open(context: MessageContext, res: ServerResponse, session: LiveSession<S>): void | Promise<void> {
    context.record?.stream();
    const header = context.http.headers['last-event-id'];
    const lastEventId = typeof header === 'string' ? header : undefined;
    if (this.#shared !== undefined) return this.#openShared(this.#shared, context, res, session, lastEventId);
    this.#listen(context, res, session, lastEventId);
  }

  /** Another replica may have the stream that a client resumes. */
  async #openShared(
    shared: SharedEdge<S>,
    context: MessageContext,
    res: ServerResponse,
    session: LiveSession<S>,
    lastEventId: string | undefined,
  ): Promise<void> {
    const from = lastEventId === undefined ? undefined : readEventId(lastEventId);
    const isElsewhere = from !== undefined && shared.isElsewhere(from);
    if (isElsewhere && from.request !== undefined && from.request !== '' && from.position !== LAST)
      return shared.follow(session, from, res, this.#outlets);
    const isMissing = isElsewhere && from.request === undefined;
    const [missed] = await Promise.all([isMissing ? shared.missed(session, from) : [], shared.refresh(session)]);
    if (res.destroyed) return;
    const isOpen = this.#listen(context, res, session, isMissing ? undefined : lastEventId);
    if (!isOpen) return;
    for (const json of missed) session.send(json);
    await shared.listening(session);
  }

  /** Returns whether a standing stream is open now. */
  #listen(
    { identity }: MessageContext,
    res: ServerResponse,
    session: LiveSession<S>,
    lastEventId: string | undefined,
  ): boolean {
    if (res.destroyed || !session.streams.listen(res, this.#outlets, lastEventId)) return false;
    const expiry = new TokenExpiry(identity, () => res.end());
    res.once('close', () => expiry.stop());
    this.#guard.contain('listening', () => this.#handler.listening?.(session));
    return true;
  }
}
