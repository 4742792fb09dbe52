import { type ClientTraits, hasAnnounced } from '../../mcp/client-traits.ts';
import { type Envelope, idKey } from '../../mcp/envelope.ts';
import { resultResponse } from '../../mcp/wire-error.ts';
import { respondToServerRequest } from '../backends/messages/control-messages.ts';

/** Questions of one call that wait for an answer. */
const MAX_QUESTIONS = 16;

/** A request of the backend; id and params as JSON text. */
interface PendingRequest {
  readonly id: string;
  readonly method: string;
  readonly params: string | undefined;
}

/** What a backend has asked about one call, by the keys that the client knows the questions by. */
export class PendingServerRequests {
  readonly #requests = new Map<string, PendingRequest>();
  #asked = 0;

  get size(): number {
    return this.#requests.size;
  }

  /** Takes a request of the backend with its params (JSON text); false when there are too many. */
  add(id: string, method: string, params: string | undefined): boolean {
    if (this.#requests.size >= MAX_QUESTIONS) return false;
    this.#requests.set(`q${++this.#asked}`, { id, method, params });
    return true;
  }

  /** What the client has answered (JSON text by key), as messages for the backend; those questions are open no longer. */
  answered(responses: ReadonlyMap<string, string>): string[] {
    const messages: string[] = [];
    for (const [key, { id }] of this.#requests) {
      const response = responses.get(key);
      if (response === undefined) continue;
      this.#requests.delete(key);
      messages.push(resultResponse(id, response));
    }
    return messages;
  }

  /** Refuses what a client with these capabilities cannot be asked, by messages for the backend; those are open no longer. */
  refused(capabilities: ClientTraits['capabilities']): string[] {
    const messages: string[] = [];
    for (const [key, { id, method, params }] of this.#requests) {
      if (hasAnnounced(capabilities, method, params)) continue;
      this.#requests.delete(key);
      messages.push(respondToServerRequest(id, method));
    }
    return messages;
  }

  /** The backend takes a question back, by `notifications/cancelled`. */
  withdraw({ requestId }: Envelope): void {
    const id = requestId && idKey(requestId);
    for (const [key, pending] of this.#requests) if (idKey(pending.id) === id) this.#requests.delete(key);
  }

  /** The value of `inputRequests`, as JSON text. */
  get inputRequests(): string {
    return `{${[...this.#requests].map(([key, pending]) => `"${key}":${formatRequest(pending)}`).join(',')}}`;
  }
}

/** Requests may do without params; of questions, go-sdk (1.8.0) reads them without looking whether they are there. */
function formatRequest({ method, params = '{}' }: PendingRequest): string {
  return `{"method":${JSON.stringify(method)},"params":${params}}`;
}
