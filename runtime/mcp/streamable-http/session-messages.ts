import type { ServerResponse } from 'node:http';
import type { Accepts } from '../../http/media-type.ts';
import { respondEmpty } from '../../http/respond.ts';
import { setStoppedAnswer } from '../../http/stopped-answers.ts';
import { BatchResponder } from '../batch-responder.ts';
import type { Envelope } from '../envelope.ts';
import type { ClientResponder, McpHandler, MessageContext } from '../handler.ts';
import { HttpResponder } from '../http-responder.ts';
import type { LiveSession } from '../live-session.ts';
import { createMemberContext } from '../member-context.ts';
import { BATCH_REVISION, readBatch } from '../read-batch.ts';
import { readEnvelope } from '../read-envelope.ts';
import type { RequestGate } from '../request-gate.ts';
import type { StreamConnections } from '../stream-connection.ts';
import { createStopped, WireError } from '../wire-error.ts';

export interface SessionMessagesOptions<S> {
  readonly handler: McpHandler<S>;
  readonly guard: RequestGate;
  readonly outlets: StreamConnections;
}

/** The messages of a session's POST: one message, or a batch. */
export class SessionMessages<S> {
  readonly #handler: McpHandler<S>;
  readonly #guard: RequestGate;
  readonly #outlets: StreamConnections;

  constructor({ handler, guard, outlets }: SessionMessagesOptions<S>) {
    this.#handler = handler;
    this.#guard = guard;
    this.#outlets = outlets;
  }

  message(
    context: MessageContext,
    res: ServerResponse,
    session: LiveSession<S>,
    envelope: Envelope,
    accepts: Accepts,
  ): void {
    if (envelope.kind === 'request') {
      this.#request(context, res, session, envelope, envelope.id as string, accepts);
      return;
    }
    this.#receive(context, session, envelope);
    respondEmpty(res, 202);
  }

  /** @param session undefined when the request names none: then there is no batch */
  batch(
    context: MessageContext,
    res: ServerResponse,
    session: LiveSession<S> | undefined,
    text: string,
    accepts: Accepts,
  ): void {
    if (session?.protocolVersion !== BATCH_REVISION) {
      readEnvelope(text); // Reports the violation as for any other text that is not one message.
      return;
    }
    const members = readBatch(text);
    const answered = members.filter(member => member instanceof WireError || member.kind === 'request');
    if (answered.length === 0) {
      for (const member of members as readonly Envelope[])
        this.#receive(createMemberContext(context, member), session, member);
      respondEmpty(res, 202);
      return;
    }
    const count = answered.length;
    const batch = new BatchResponder(res, { accepts, outlets: this.#outlets, streams: session.streams, count });
    for (const member of members) {
      const own = createMemberContext(context, member);
      if (member instanceof WireError) batch.refuse(member);
      else if (member.kind === 'request') this.#member(own, session, member, member.id as string, batch);
      else this.#receive(own, session, member);
    }
  }

  /** A message that has no answer. */
  #receive(context: MessageContext, session: LiveSession<S>, envelope: Envelope): void {
    this.#guard.contain(envelope.kind, () =>
      envelope.kind === 'response'
        ? this.#handler.response(session, envelope, context)
        : this.#handler.notification(session, envelope, context),
    );
  }

  /** Handles one request of a batch. */
  #member(
    context: MessageContext,
    session: LiveSession<S>,
    envelope: Envelope,
    id: string,
    batch: BatchResponder,
  ): void {
    let onFinish: () => void;
    try {
      onFinish = session.begin(id);
    } catch (error) {
      const refusal = this.#guard.toWireError(error).withId(id);
      context.record?.refused(refusal.code, refusal.message);
      batch.refuse(refusal);
      return;
    }
    this.#answer(context, session, envelope, batch.member(id, onFinish));
  }

  #request(
    context: MessageContext,
    res: ServerResponse,
    session: LiveSession<S>,
    envelope: Envelope,
    id: string,
    accepts: Accepts,
  ): void {
    const onFinish = session.begin(id);
    // Decided now, because the message itself must not stay in memory while the request runs.
    const onlyReads = this.#handler.onlyReads?.(envelope) === true;
    const answer = new HttpResponder(res, id, accepts, {
      outlets: this.#outlets,
      onFinish,
      streams: session.streams,
      challenge: this.#guard.challenge,
      onlyReads,
    });
    const answered = this.#answer(context, session, envelope, answer);
    setStoppedAnswer(res, () => answered.error(createStopped(onlyReads)));
  }

  /** @returns the responder of the request, with its audit record */
  #answer(context: MessageContext, session: LiveSession<S>, envelope: Envelope, own: ClientResponder): ClientResponder {
    const answer = context.record?.answer(own) ?? own;
    try {
      this.#handler.request(session, envelope, answer, context);
    } catch (error) {
      answer.error(this.#guard.toWireError(error));
    }
    return answer;
  }
}
