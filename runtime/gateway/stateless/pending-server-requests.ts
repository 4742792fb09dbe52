import { type ClientTraits, hasAnnounced } from '../../mcp/client-traits.ts';
import { type Envelope, formatIdKey } from '../../mcp/envelope.ts';
import { formatResultResponse } from '../../mcp/wire-error.ts';
import { respondToServerRequest } from '../backends/messages/control-messages.ts';

/** Maximum number of unanswered questions of one call. */
const MAX_QUESTIONS = 16;

/** A backend's request; id and params as JSON text. */
interface PendingRequest {
  readonly id: string;
  readonly method: string;
  readonly params: string | undefined;
}

/** A backend's questions about one call, by the client's keys of the questions. */
export class PendingServerRequests {
  readonly #requests = new Map<string, PendingRequest>();
  #asked = 0;

  get size(): number {
    return this.#requests.size;
  }

  /** Adds a backend's request with its params (JSON text); false when there are too many. */
  add(id: string, method: string, params: string | undefined): boolean {
    if (this.#requests.size >= MAX_QUESTIONS) return false;
    this.#requests.set(`q${++this.#asked}`, { id, method, params });
    return true;
  }

  /** Converts the client's answers (JSON text by key) to messages for the backend; their questions then have an answer. */
  answered(responses: ReadonlyMap<string, string>): string[] {
    const messages: string[] = [];
    for (const [key, { id }] of this.#requests) {
      const response = responses.get(key);
      if (response === undefined) continue;
      this.#requests.delete(key);
      messages.push(formatResultResponse(id, response));
    }
    return messages;
  }

  /**
   * Refuses, in messages for the backend, the questions that a client with these capabilities does not accept; these questions then have an answer.
   */
  refused(capabilities: ClientTraits['capabilities']): string[] {
    const messages: string[] = [];
    for (const [key, { id, method, params }] of this.#requests) {
      if (hasAnnounced(capabilities, method, params)) continue;
      this.#requests.delete(key);
      messages.push(respondToServerRequest(id, method));
    }
    return messages;
  }

  /** Drops a question that the backend withdraws by `notifications/cancelled`. */
  withdraw({ requestId }: Envelope): void {
    const id = requestId && formatIdKey(requestId);
    for (const [key, pending] of this.#requests) if (formatIdKey(pending.id) === id) this.#requests.delete(key);
  }

  /** The value of `inputRequests`, as JSON text. */
  get inputRequests(): string {
    return `{${[...this.#requests].map(([key, pending]) => `"${key}":${formatRequest(pending)}`).join(',')}}`;
  }
}

/** Params are optional, but go-sdk (1.8.0) reads those of questions without checking that they exist. */
function formatRequest({ method, params = '{}' }: PendingRequest): string {
  return `{"method":${JSON.stringify(method)},"params":${params}}`;
}
