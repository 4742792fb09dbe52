import { type ClientTraits, hasAnnounced } from '../../mcp/client-traits.ts';
import { type Envelope, idKey } from '../../mcp/envelope.ts';
import { resultResponse } from '../../mcp/wire-error.ts';
import { respondToServerRequest } from '../backends/messages/side-messages.ts';

/** Questions of one call that wait for an answer. */
const MAX_QUESTIONS = 16;

/** A request of the backend; id and params as JSON text. */
interface Question {
  readonly id: string;
  readonly method: string;
  readonly params: string | undefined;
}

/** What a backend has asked about one call, by the keys that the client knows the questions by. */
export class PendingServerRequests {
  readonly #questions = new Map<string, Question>();
  #asked = 0;

  get size(): number {
    return this.#questions.size;
  }

  /** Takes a request of the backend with its params (JSON text); false when there are too many. */
  add(id: string, method: string, params: string | undefined): boolean {
    if (this.#questions.size >= MAX_QUESTIONS) return false;
    this.#questions.set(`q${++this.#asked}`, { id, method, params });
    return true;
  }

  /** What the client has answered (JSON text by key), as messages for the backend; those questions are open no longer. */
  answered(responses: ReadonlyMap<string, string>): string[] {
    const messages: string[] = [];
    for (const [key, { id }] of this.#questions) {
      const response = responses.get(key);
      if (response === undefined) continue;
      this.#questions.delete(key);
      messages.push(resultResponse(id, response));
    }
    return messages;
  }

  /** Refuses what a client with these capabilities cannot be asked, by messages for the backend; those are open no longer. */
  refused(capabilities: ClientTraits['capabilities']): string[] {
    const messages: string[] = [];
    for (const [key, { id, method, params }] of this.#questions) {
      if (hasAnnounced(capabilities, method, params)) continue;
      this.#questions.delete(key);
      messages.push(respondToServerRequest(id, method));
    }
    return messages;
  }

  /** The backend takes a question back, by `notifications/cancelled`. */
  withdraw({ requestId }: Envelope): void {
    const id = requestId && idKey(requestId);
    for (const [key, question] of this.#questions) if (idKey(question.id) === id) this.#questions.delete(key);
  }

  /** The value of `inputRequests`, as JSON text. */
  get inputRequests(): string {
    return `{${[...this.#questions].map(([key, question]) => `"${key}":${requestOf(question)}`).join(',')}}`;
  }
}

/** Requests may do without params; of questions, go-sdk (1.8.0) reads them without looking whether they are there. */
function requestOf({ method, params = '{}' }: Question): string {
  return `{"method":${JSON.stringify(method)},"params":${params}}`;
}
