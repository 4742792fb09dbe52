/**
 * What backends ask of a client: elicitation, sampling, roots and whatever else comes as a request. Each question goes to the
 * client under an id of ours, because two backends may use the same one, and the answer goes back under the backend's.
 */
import { CAPABILITY_OF_QUESTION } from '../mcp/client-traits.ts';
import { type Envelope, idKey, splice } from '../mcp/envelope.ts';
import { readEnvelope } from '../mcp/read-envelope.ts';
import { errorResponse, resultResponse, WIRE_CODE, WireError } from '../mcp/wire-error.ts';
import type { BackendSession } from './backend/backend.ts';

/** Questions of one client that wait for an answer; more would be a fault of a backend. */
const MAX_OPEN = 64;

/** Whether a client with these capabilities may be asked this; methods that are nobody's are passed on without a look. */
function canBeAsked(capabilities: { readonly [name: string]: unknown }, method: string): boolean {
  const capability = CAPABILITY_OF_QUESTION.get(method);
  return capability === undefined || Object.hasOwn(capabilities, capability);
}

interface Question {
  readonly backend: BackendSession;
  /** The backend's id as JSON text. */
  readonly id: string;
}

/** One request of a backend. */
export interface BackendQuestion extends Question {
  readonly json: string;
  readonly method: string;
}

/** Sends a message to the client; false when nobody got it. */
export type SendToClient = (json: string) => boolean;

export class Questions {
  readonly #capabilities: { readonly [name: string]: unknown };
  /** By our id as JSON text. */
  readonly #open = new Map<string, Question>();
  #asked = 0;

  /** @param capabilities what the client announced */
  constructor(capabilities: { readonly [name: string]: unknown }) {
    this.#capabilities = capabilities;
  }

  /** Asks the client, or answers the backend at once. Returns our id while the question is open. */
  ask({ backend, json, id, method }: BackendQuestion, send: SendToClient): string | undefined {
    if (method === 'ping') {
      void backend.post(resultResponse(id, '{}'));
      return undefined;
    }
    const ourId = `"lintel-q${++this.#asked}"`;
    const text = canBeAsked(this.#capabilities, method) && this.#open.size < MAX_OPEN ? withId(json, ourId) : undefined;
    if (text === undefined) {
      void backend.post(errorResponse(id, new WireError(WIRE_CODE.methodNotFound, 'Method not found')));
      return undefined;
    }
    this.#open.set(ourId, { backend, id });
    if (send(text)) return ourId;
    this.#open.delete(ourId);
    const unreachable = new WireError(WIRE_CODE.internalError, 'the client has no open stream to be asked on');
    void backend.post(errorResponse(id, unreachable));
    return undefined;
  }

  /** The client has answered. Answers to nothing are dropped: the question may have been withdrawn. */
  answer(envelope: Envelope): void {
    if (envelope.id === undefined || envelope.idSpan === undefined) return;
    const key = idKey(envelope.id);
    const question = this.#open.get(key);
    if (question === undefined) return;
    this.#open.delete(key);
    void question.backend.post(splice(envelope, envelope.idSpan, question.id));
  }

  /** A `notifications/cancelled` of a backend in the client's words; undefined when it withdraws nothing. */
  withdrawal(backend: BackendSession, json: string): string | undefined {
    const message = JSON.parse(json) as { params?: { requestId?: unknown } };
    const requestId = JSON.stringify(message.params?.requestId);
    for (const [ourId, question] of this.#open) {
      if (question.backend !== backend || idKey(question.id) !== requestId) continue;
      this.#open.delete(ourId);
      return JSON.stringify({ ...message, params: { ...message.params, requestId: JSON.parse(ourId) } });
    }
    return undefined;
  }

  /** Nobody waits for these answers any more. */
  forget(ids: Iterable<string>): void {
    for (const id of ids) this.#open.delete(id);
  }

  /** The backends that wait for an answer. */
  get waiting(): ReadonlySet<BackendSession> {
    return new Set([...this.#open.values()].map(({ backend }) => backend));
  }
}

function withId(json: string, id: string): string | undefined {
  try {
    const envelope = readEnvelope(json);
    return envelope.idSpan === undefined ? undefined : splice(envelope, envelope.idSpan, id);
  } catch {
    return undefined; // Not a message that may be passed on.
  }
}
