import { type Envelope, idKey } from '../../mcp/envelope.ts';
import { soundMessage } from '../../mcp/read-envelope.ts';
import { resultResponse } from '../../mcp/wire-error.ts';

/** Questions of one call that wait for an answer. */
const MAX_QUESTIONS = 16;

/** A request of the backend: its id, and what the client gets to see; both as JSON text. */
interface Question {
  readonly id: string;
  readonly request: string;
}

/** What a backend has asked about one call, by the keys that the client knows the questions by. */
export class OpenQuestions {
  readonly #questions = new Map<string, Question>();
  #asked = 0;

  get size(): number {
    return this.#questions.size;
  }

  /** Takes a request of the backend; false when there are too many, or it is no message that may be passed on. */
  add(id: string, json: string): boolean {
    const request = this.#questions.size < MAX_QUESTIONS ? inputRequestIn(json) : undefined;
    if (request !== undefined) this.#questions.set(`q${++this.#asked}`, { id, request });
    return request !== undefined;
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

  /** The backend takes a question back, by `notifications/cancelled`. */
  withdraw({ requestId }: Envelope): void {
    const id = requestId && idKey(requestId);
    for (const [key, question] of this.#questions) if (idKey(question.id) === id) this.#questions.delete(key);
  }

  /** The value of `inputRequests`, as JSON text. */
  get inputRequests(): string {
    return `{${[...this.#questions].map(([key, { request }]) => `"${key}":${request}`).join(',')}}`;
  }
}

/** A request of a backend as one of `inputRequests`; undefined for what is no message that may be passed on. */
function inputRequestIn(json: string): string | undefined {
  const message = soundMessage(json);
  if (message === undefined) return undefined;
  const { text, method, params } = message;
  const rest = params === undefined ? '' : `,"params":${text.slice(params.start, params.end)}`;
  return `{"method":${JSON.stringify(method)}${rest}}`;
}
