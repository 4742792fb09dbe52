import type { ServerResponse } from 'node:http';
import type { Accepts } from '../../http/media-type.ts';
import type { SessionFields } from '../../shared-sessions/store.ts';
import type { Envelope } from '../envelope.ts';
import type { McpHandler, MessageContext } from '../handler.ts';
import { HttpResponder } from '../http-responder.ts';
import { initializeParams, readTraits } from '../initialize-params.ts';
import type { LiveSession } from '../live-session.ts';
import { negotiate } from '../protocol-revisions.ts';
import type { RequestGate } from '../request-gate.ts';
import type { SessionStore } from '../sessions.ts';
import { getShareKey } from '../share-key.ts';
import type { SharedEdge } from '../shared-edge.ts';
import type { StreamConnections } from '../stream-connection.ts';

export interface SessionOpeningOptions<S> {
  readonly handler: McpHandler<S>;
  readonly guard: RequestGate;
  readonly outlets: StreamConnections;
  readonly sessions: SessionStore<S>;
  readonly shared: SharedEdge<S> | undefined;
}

/** Handles `initialize`: opens a session, and shares it with other replicas, if there are any. */
export class SessionOpening<S> {
  readonly #handler: McpHandler<S>;
  readonly #guard: RequestGate;
  readonly #outlets: StreamConnections;
  readonly #sessions: SessionStore<S>;
  readonly #shared: SharedEdge<S> | undefined;

  constructor({ handler, guard, outlets, sessions, shared }: SessionOpeningOptions<S>) {
    this.#handler = handler;
    this.#guard = guard;
    this.#outlets = outlets;
    this.#sessions = sessions;
    this.#shared = shared;
  }

  async initialize(
    context: MessageContext,
    res: ServerResponse,
    envelope: Envelope,
    id: string,
    accepts: Accepts,
  ): Promise<void> {
    const params = initializeParams(envelope);
    if (context.record !== undefined) context.record.traits = readTraits(params);
    const protocolVersion = negotiate(params.protocolVersion);
    const holder = getShareKey(context);
    let isOpen = false;
    this.#reserve(holder, id);
    try {
      const { session, result, fields } = await this.#handler.initialize({ params, protocolVersion, ...context });
      const live = this.#sessions.create(session, protocolVersion, holder, context.identity.key);
      isOpen = true;
      if (this.#shared !== undefined) await shareOrEnd(this.#shared, live, fields ?? {});
      this.#guard.contain('opened', () => this.#handler.opened?.(live));
      if (res.destroyed) {
        live.close(); // The id of this session was never sent to a client.
        return;
      }
      res.setHeader('Mcp-Session-Id', live.id);
      const answer = new HttpResponder(res, id, accepts, { outlets: this.#outlets, onFinish: () => {} });
      (context.record?.answer(answer) ?? answer).result(result);
    } catch (error) {
      throw this.#guard.toWireError(error).withId(id);
    } finally {
      if (!isOpen) this.#sessions.release(holder);
    }
  }

  #reserve(holder: string, id: string): void {
    try {
      this.#sessions.reserve(holder);
    } catch (error) {
      throw this.#guard.toWireError(error).withId(id);
    }
  }
}

/** @throws WireError with HTTP 503 for a session that cannot be shared with other replicas, and that the client therefore does not get */
async function shareOrEnd<S>(shared: SharedEdge<S>, live: LiveSession<S>, fields: SessionFields): Promise<void> {
  try {
    await shared.opened(live, fields);
  } catch (error) {
    live.close();
    throw error;
  }
}
