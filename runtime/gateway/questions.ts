/**
 * What backends ask of a client: elicitation, sampling, roots and whatever else comes as a request. Each question goes to the
 * client under an id of ours, because two backends may use the same one, and the answer goes back under the backend's. So it is
 * with the token by which the client tells how far it is.
 */
import { CAPABILITY_OF_QUESTION, type ClientTraits, hasAnnounced } from '../mcp/client-traits.ts';
import { type Envelope, idKey, paramsOf, type Span, splice } from '../mcp/envelope.ts';
import { setMembers } from '../mcp/json-members.ts';
import { progressTokenAt, withProgressToken } from '../mcp/progress-token.ts';
import { soundMessage } from '../mcp/read-envelope.ts';
import { errorResponse, resultResponse, WIRE_CODE, WireError } from '../mcp/wire-error.ts';
import type { BackendSession } from './backend/backend.ts';
import { cancellationOf } from './backend/side-messages.ts';
import { taskMadeIn } from './tasks/client-task.ts';

/** Questions of one client that wait for an answer; more would be a fault of a backend. */
const MAX_OPEN = 64;

/** Questions that a client has made tasks of, and may still tell the progress of; the oldest are forgotten. */
const MAX_TASKS = 1_000;

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
  /** The backend's as JSON text. The client gets our id in its place, which no other question of its has. */
  readonly progressToken: string | undefined;
}

/** One request of a backend. */
export interface BackendQuestion extends Pick<Question, 'backend' | 'id'> {
  readonly json: string;
  readonly method: string;
}

/** What a client says about a question, in the words of the backend that has asked. */
export interface ForBackend {
  readonly backend: BackendSession;
  /** JSON text. */
  readonly text: string;
}

/** What a client has answered to a question. */
export interface QuestionAnswer extends ForBackend {
  /** The task that the client has made of it. */
  readonly taskId: string | undefined;
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
  /** Those that were answered with a task: the token is good for as long as that. */
  readonly #inTasks = new Map<string, Question>();
  #asked = 0;

  constructor(client: ClientTraits) {
    this.#client = client;
  }

  /** Those that wait for an answer. */
  get size(): number {
    return this.#open.size;
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
    const progressToken = progressTokenOf(question);
    this.#open.set(ourId, { backend, id, isTask: question.task !== undefined, progressToken });
    if (send(underOurId(question, question.idSpan, ourId, progressToken !== undefined))) return ourId;
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
    const taskId = isTask ? taskMadeIn(envelope.text) : undefined;
    if (taskId !== undefined) this.#keepProgress(key, question);
    return { backend, text: splice(envelope, envelope.idSpan, id), taskId };
  }

  /** The client tells how far it is. Undefined for what is no question of anybody's, or not any more. */
  progress({ text, params }: Envelope): ForBackend | undefined {
    const ours = params && progressTokenAt(text, params.start);
    const question = ours === undefined ? undefined : (this.#open.get(ours) ?? this.#inTasks.get(ours));
    if (params === undefined || question?.progressToken === undefined) return undefined;
    return { backend: question.backend, text: withProgressToken(text, params.start, question.progressToken) };
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
    for (const id of ids) if (this.#open.delete(id)) send(cancellationOf(id, 'nobody waits for the answer any more'));
  }

  /** The session with a backend is gone: its next one may ask something else under the same id. */
  forget(backend: BackendSession, send: SendToClient): void {
    for (const [id, question] of this.#open) if (question.backend === backend) this.withdraw([id], send);
    for (const [id, question] of this.#inTasks) if (question.backend === backend) this.#inTasks.delete(id);
  }

  #keepProgress(ourId: string, question: Question): void {
    if (question.progressToken === undefined) return;
    this.#inTasks.set(ourId, question);
    if (this.#inTasks.size <= MAX_TASKS) return;
    for (const oldest of this.#inTasks.keys()) {
      this.#inTasks.delete(oldest);
      return;
    }
  }
}

/** Of a question (JSON text); undefined for what is no token. */
function progressTokenOf({ text, meta }: Envelope): string | undefined {
  const token = meta && text[meta.start] === '{' ? progressTokenAt(text, meta.start) : undefined;
  return token !== undefined && /^["\d-]/.test(token) ? token : undefined;
}

/** The question with our id for its own, and for its progress token when it has one. */
function underOurId(question: Envelope, idSpan: Span, ourId: string, hasToken: boolean): string {
  const { text, meta } = question;
  if (meta === undefined || !hasToken) return splice(question, idSpan, ourId);
  // What stands behind is replaced first, so that the other one stays where it is.
  if (meta.start < idSpan.start) return withProgressToken(splice(question, idSpan, ourId), meta.start, ourId);
  const { start, end } = idSpan;
  const behind = withProgressToken(text, meta.start, ourId).slice(end);
  return text.slice(0, start) + ourId + behind;
}
