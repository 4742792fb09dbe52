/**
 * What backends ask of a client: elicitation, sampling, roots and whatever else comes as a request. Each question goes to the
 * client under an id of ours, because two backends may use the same one, and the answer goes back under the backend's.
 */
import { CAPABILITY_OF_QUESTION, type ClientTraits, hasAnnounced } from '../mcp/client-traits.ts';
import { type Envelope, idKey, paramsOf, splice } from '../mcp/envelope.ts';
import { setMembers } from '../mcp/json-members.ts';
import { soundMessage } from '../mcp/read-envelope.ts';
import { errorResponse, resultResponse, WIRE_CODE, WireError } from '../mcp/wire-error.ts';
import type { BackendSession } from './backend/backend.ts';
import { cancellationOf } from './backend/side-messages.ts';

/** Questions of one client that wait for an answer; more would be a fault of a backend. */
const MAX_OPEN = 64;

/** About tasks of the client, which only a client with tasks can have. */
const TASK_QUESTIONS: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/cancel']);

/** It would show one backend what the others have asked. */
const NEVER_ASKED: ReadonlySet<string> = new Set(['tasks/list']);

/**
 * Whether a client with these capabilities may be asked this; methods that are nobody's are passed on without a look.
 *
 * @param params of the question as sound JSON text
 */
export function canBeAsked(
  capabilities: { readonly [name: string]: unknown },
  method: string,
  params?: string | undefined,
): boolean {
  if (NEVER_ASKED.has(method)) return false;
  if (TASK_QUESTIONS.has(method)) return Object.hasOwn(capabilities, 'tasks');
  return !CAPABILITY_OF_QUESTION.has(method) || hasAnnounced(capabilities, method, params);
}

interface Question {
  readonly backend: BackendSession;
  /** The backend's id as JSON text. */
  readonly id: string;
  /** The client may answer with a task of its. */
  readonly isTask: boolean;
}

/** One request of a backend. */
export interface BackendQuestion extends Omit<Question, 'isTask'> {
  readonly json: string;
  readonly method: string;
}

/** What a client has answered to a question. */
export interface QuestionAnswer {
  readonly backend: BackendSession;
  /** The response as JSON text, under the backend's id. */
  readonly text: string;
  readonly isTask: boolean;
}

/** Whether a notification of a backend says that it withdraws a question. */
export function isWithdrawal({ method }: Envelope): boolean {
  return method === 'notifications/cancelled';
}

/** Sends a message to the client; false when nobody got it. */
export type SendToClient = (json: string) => boolean;

export class Questions {
  readonly #client: ClientTraits;
  /** By our id as JSON text. */
  readonly #open = new Map<string, Question>();
  #asked = 0;

  constructor(client: ClientTraits) {
    this.#client = client;
  }

  /** Asks the client, or answers the backend at once. Returns our id while the question is open. */
  ask({ backend, json, id, method }: BackendQuestion, send: SendToClient): string | undefined {
    if (method === 'ping') {
      void backend.post(resultResponse(id, '{}'));
      return undefined;
    }
    const ourId = `"lintel-q${++this.#asked}"`;
    const question = this.#open.size < MAX_OPEN ? soundMessage(json) : undefined;
    if (question?.idSpan === undefined || !canBeAsked(this.#client.capabilities, method, paramsOf(question))) {
      void backend.post(errorResponse(id, new WireError(WIRE_CODE.methodNotFound, 'Method not found')));
      return undefined;
    }
    this.#open.set(ourId, { backend, id, isTask: question.task !== undefined });
    if (send(splice(question, question.idSpan, ourId))) return ourId;
    this.#open.delete(ourId);
    const unreachable = new WireError(WIRE_CODE.internalError, 'the client has no open stream to be asked on');
    void backend.post(errorResponse(id, unreachable));
    return undefined;
  }

  /** The client has answered. Undefined for an answer to nothing: the question may have been withdrawn. */
  answer(envelope: Envelope): QuestionAnswer | undefined {
    if (envelope.id === undefined || envelope.idSpan === undefined) return undefined;
    const key = idKey(envelope.id);
    const question = this.#open.get(key);
    if (question === undefined) return undefined;
    this.#open.delete(key);
    const { backend, id, isTask } = question;
    return { backend, text: splice(envelope, envelope.idSpan, id), isTask };
  }

  /** A `notifications/cancelled` of a backend in the client's words; undefined when it withdraws nothing. */
  withdrawal(backend: BackendSession, { text, params, requestId }: Envelope): string | undefined {
    if (params === undefined || requestId === undefined) return undefined;
    const key = idKey(requestId);
    for (const [ourId, question] of this.#open) {
      if (question.backend !== backend || idKey(question.id) !== key) continue;
      this.#open.delete(ourId);
      return setMembers(text, params.start, new Map([['requestId', ourId]]));
    }
    return undefined;
  }

  /** Nobody waits for these answers any more: tells the client of those that it still owes. */
  withdraw(ids: Iterable<string>, send: SendToClient): void {
    for (const id of ids)
      if (this.#open.delete(id)) send(cancellationOf(id, 'the request that it came with has ended'));
  }

  /** Nobody hears the answers that this backend would get. */
  forget(backend: BackendSession): void {
    for (const [id, question] of this.#open) if (question.backend === backend) this.#open.delete(id);
  }

  /** The backends that wait for an answer. */
  get waiting(): ReadonlySet<BackendSession> {
    return new Set([...this.#open.values()].map(({ backend }) => backend));
  }
}
