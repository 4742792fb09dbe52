import type { Envelope } from '../../../mcp/envelope.ts';
import { readProgressTokenAt } from '../../../mcp/progress-token.ts';
import type { BackendListener } from '../backend.ts';
import type { BackendContext } from '../context.ts';
import { createProtocolError } from '../failure.ts';
import { readCancelledRequest } from '../messages/control-messages.ts';
import { findMessageKind } from '../messages/message-kind.ts';
import { validateResponse } from '../messages/response-validator.ts';
import { readServerMessage } from '../messages/server-message.ts';
import type { HostedStream, LocalReceivers } from './hosted-stream.ts';
import type { PendingRequests } from './pending-requests.ts';

export interface StreamMessagesOptions {
  readonly context: BackendContext;
  readonly pending: PendingRequests;
  /** The receiver of messages that belong to no request. */
  readonly listener: () => BackendListener | undefined;
  /** Whether the listener wants messages even without running requests. */
  readonly isListening: () => boolean;
  readonly refuse: (id: string, method: string) => void;
}

/** Passes each message of a stream to the request, the listener, or the replica that waits for it. */
export class StreamMessages {
  readonly #context: BackendContext;
  readonly #pending: PendingRequests;
  readonly #listener: () => BackendListener | undefined;
  readonly #isListening: () => boolean;
  readonly #refuse: (id: string, method: string) => void;

  constructor({ context, pending, listener, isListening, refuse }: StreamMessagesOptions) {
    this.#context = context;
    this.#pending = pending;
    this.#listener = listener;
    this.#isListening = isListening;
    this.#refuse = refuse;
  }

  /**
   * @param lent the stream's other replicas, if it is shared
   * @param onAsked gets the id of a backend's request before the request is forwarded
   */
  receive(json: Buffer, lent: HostedStream | undefined, onAsked: (id: string) => void): void {
    const kind = findMessageKind(json);
    if (kind === undefined) {
      const { backend, log } = this.#context;
      log.debug({ backend }, 'ignored an event that is not a JSON-RPC message');
    } else if (kind.type === 'response') {
      this.#handleResponse(kind.id, json, lent);
    } else {
      const message = readServerMessage(this.#context, json.toString('utf8'), kind.type);
      if (kind.type === 'request') {
        onAsked(kind.id);
        this.#request(message, kind.id, kind.method, lent);
      } else if (message !== undefined) this.#handleNotification(message, lent);
    }
  }

  #handleResponse(id: string, json: Buffer, lent: HostedStream | undefined): void {
    const pending = this.#pending.withId(id);
    if (pending === undefined) {
      lent?.answer(id, json);
      return;
    }
    const violation = validateResponse(json, id);
    if (violation === undefined) pending.answer(json);
    else pending.fail(createProtocolError(this.#context.backend, violation));
  }

  /** Passes on a request of the backend. A stream that requests share does not show which of them the backend works on, so the listener gets it. */
  #request(message: Envelope | undefined, id: string, method: string, lent: HostedStream | undefined): void {
    const listener = this.#listener();
    if (message === undefined || listener?.request === undefined) {
      this.#refuse(id, method);
    } else {
      this.#pending.asked(id);
      if (lent?.question(id, message.text, this.#ownEar) === true) return;
      listener.request(message.text, id, method);
    }
  }

  /** Whether anything in this replica receives the backend's own messages, and what. */
  get #ownEar(): LocalReceivers {
    if (this.#isListening()) return 'listens';
    return this.#pending.size > 0 ? 'waits' : 'none';
  }

  #handleNotification(message: Envelope, lent: HostedStream | undefined): void {
    const isProgress = message.method === 'notifications/progress';
    const withdrawn = readCancelledRequest(message);
    if (withdrawn !== undefined) {
      this.#pending.answered(withdrawn);
      if (lent?.withdrawal(withdrawn, message.text) === true) return;
    }
    const pending = isProgress ? this.#pending.withProgress(message) : undefined;
    if (pending !== undefined) pending.message(message);
    else if (lent !== undefined && this.#isForOthers(message, isProgress, lent)) return;
    // A task's progress continues after the answer to its call. Other late progress has no receiver.
    else if (!isProgress || message.text.includes('taskId')) this.#listener()?.message(message);
  }

  #isForOthers({ text, params }: Envelope, isProgress: boolean, lent: HostedStream): boolean {
    const token = isProgress && params !== undefined ? readProgressTokenAt(text, params.start) : undefined;
    if (lent.progress(token, text)) return true;
    return (!isProgress || text.includes('taskId')) && lent.message(text, this.#ownEar);
  }
}
