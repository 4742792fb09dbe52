/**
 * Requests of backends to a client: elicitation, sampling, roots and any other request. The gateway sends each question to the client under an id of
 * its own, because two backends may use the same one, and returns the answer under the backend's id. The same holds for progress tokens.
 */
import { CAPABILITY_OF_REQUEST, type ClientTraits, hasAnnounced } from '../../mcp/client-traits.ts';
import { type Envelope, formatIdKey, readParams, type Span, splice } from '../../mcp/envelope.ts';
import { setMembers } from '../../mcp/json/members.ts';
import { readProgressTokenAt, withProgressToken } from '../../mcp/progress-token.ts';
import { parseSoundMessage } from '../../mcp/read-envelope.ts';
import { formatErrorResponse, formatResultResponse, WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import type { BackendSession } from '../backends/backend.ts';
import { CLIENT_MS } from '../backends/context.ts';
import { NOWHERE, startIdleTimer, type TimedRequest } from '../backends/idle-timer.ts';
import { formatCancellation } from '../backends/messages/control-messages.ts';
import { readCreatedTaskId } from '../tasks/client-task.ts';

/** Limit on the unanswered questions of one client; more would indicate a faulty backend, or a client that does not answer. */
const MAX_OPEN = 64;

/** Maximum number of questions that the client answered with tasks and may still report progress of; the oldest are forgotten. */
const MAX_TASKS = 1_000;

/** Why a question is refused, or given up in favour of another question. */
const TOO_MANY = 'too many questions wait for their clients';

/** Why a question is withdrawn. */
const UNWANTED = 'no client waits for the answer any more';

/** Requests about the client's tasks: only a client that has tasks gets them. */
const TASK_QUESTIONS: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/cancel']);

/** Requests that are never sent to clients: they would show one backend the tasks of other backends. */
const NEVER_ASKED: ReadonlySet<string> = new Set(['tasks/list']);

/**
 * Whether a client with these capabilities accepts this request; unknown methods are forwarded unchecked.
 * @param params params of the question as valid JSON text
 */
export function canReceiveRequest(
  capabilities: { readonly [name: string]: unknown },
  method: string,
  params?: string | undefined,
): boolean {
  if (NEVER_ASKED.has(method)) return false;
  if (TASK_QUESTIONS.has(method)) return Object.hasOwn(capabilities, 'tasks');
  return !CAPABILITY_OF_REQUEST.has(method) || hasAnnounced(capabilities, method, params);
}

/**
 * The event that ends a request without a response: the end of the call that it came with; otherwise a time limit. A question of a task stays open
 * until the client answers, unless it is given up in favour of other questions.
 */
export type ServerRequestEnd = 'call' | 'time' | 'task';

/** One request of a backend. */
export interface ServerRequest {
  readonly backend: BackendSession;
  /** The backend's id as JSON text. */
  readonly id: string;
  readonly json: string;
  readonly method: string;
  readonly endsWith: ServerRequestEnd;
}

/** The parsed members of a question. */
interface ReadRequest {
  /** Whether the client may answer with a task of its own. */
  readonly isTask: boolean;
  /** The backend's token as JSON text. The client gets the gateway's id in its place, which no other question of the client has. */
  readonly progressToken: string | undefined;
}

/** A question without an answer, or with an unfinished task. */
class OpenRequest implements ReadRequest, TimedRequest {
  readonly backend: BackendSession;
  readonly id: string;
  readonly endsWith: ServerRequestEnd;
  readonly isTask: boolean;
  readonly progressToken: string | undefined;
  position: number = NOWHERE;
  activeAt = 0;
  readonly #giveUp: () => void;

  constructor({ backend, id, endsWith }: ServerRequest, { isTask, progressToken }: ReadRequest, giveUp: () => void) {
    this.backend = backend;
    this.id = id;
    this.endsWith = endsWith;
    this.isTask = isTask;
    this.progressToken = progressToken;
    this.#giveUp = giveUp;
  }

  onTimeout(): void {
    this.#giveUp();
  }
}

/** A client's message about a question, with the backend's own ids. */
export interface ForBackend {
  readonly backend: BackendSession;
  /** The message as JSON text. */
  readonly text: string;
}

/** A client's answer to a question. */
export interface ServerRequestResponse extends ForBackend {
  /** The client's task for the question. */
  readonly taskId: string | undefined;
}

/** Whether a backend's notification withdraws a question. */
export function isWithdrawal({ method }: Envelope): boolean {
  return method === 'notifications/cancelled';
}

/** Sends a message to the client; false when it was not delivered. */
export type SendToClient = (json: string) => boolean;

/** The client that gets backends' requests. */
export interface RequestedClient {
  readonly client: ClientTraits;
  /** Whether the client may get one more request. */
  readonly mayWait: boolean;
  /** Sends a message about a backend's questions outside of any call that waits for them. */
  sendFor(backend: BackendSession, json: string): boolean;
}

/** Prefix of the gateway's ids. */
const OUR_ID = 'lintel-q';

/** The replica that sent a question with this id or token (JSON text); undefined when the id names none. */
export function readReplica(id: string | undefined): number | undefined {
  const match = /^"lintel-q(\d{1,7})\.\d+"$/.exec(id ?? '');
  return match === null ? undefined : Number(match[1]);
}

/** The token in a client's `notifications/progress` as JSON text. */
export function readProgressToken({ text, params }: Envelope): string | undefined {
  return params && readProgressTokenAt(text, params.start);
}

export class ServerRequests {
  readonly #asked: RequestedClient;
  /** Open requests to clients, by the gateway's request id as JSON text. */
  readonly #open = new Map<string, OpenRequest>();
  /** Questions that were answered with a task: their progress tokens stay valid as long as the task. */
  readonly #inTasks = new Map<string, OpenRequest>();
  #count = 0;
  readonly #prefix: string;

  /** @param replica the replica that sends the questions, if answers may reach another */
  constructor(asked: RequestedClient, replica?: number) {
    this.#asked = asked;
    this.#prefix = replica === undefined ? OUR_ID : `${OUR_ID}${replica}.`;
  }

  /** The number of unanswered questions. */
  get size(): number {
    return this.#open.size;
  }

  /** Sends a request to the client, or answers the backend at once. Returns the gateway's id while the question is open. */
  ask(serverRequest: ServerRequest, send: SendToClient): string | undefined {
    const { backend, json, id, method, endsWith } = serverRequest;
    if (method === 'ping') {
      void backend.post(formatResultResponse(id, '{}'));
      return undefined;
    }
    const message = parseSoundMessage(json);
    const isFit =
      message !== undefined && canReceiveRequest(this.#asked.client.capabilities, method, readParams(message));
    if (message?.idSpan === undefined || !isFit || !(this.#open.size < MAX_OPEN || this.makeRoom())) {
      void backend.post(formatErrorResponse(id, new WireError(WIRE_CODE.methodNotFound, 'Method not found')));
      return undefined;
    }
    if (!this.#asked.mayWait) {
      void backend.post(formatErrorResponse(id, new WireError(WIRE_CODE.internalError, TOO_MANY)));
      return undefined;
    }
    const ourId = `"${this.#prefix}${++this.#count}"`;
    const progressToken = findProgressToken(message);
    const isTask = message.task !== undefined;
    const open = new OpenRequest(serverRequest, { isTask, progressToken }, () =>
      this.#giveUp(ourId, 'the client has not answered'),
    );
    this.#open.set(ourId, open);
    if (send(replaceId(message, message.idSpan, ourId, progressToken !== undefined))) {
      if (endsWith === 'time') startIdleTimer(CLIENT_MS).begin(open);
      return ourId;
    }
    this.#open.delete(ourId);
    const unreachable = new WireError(WIRE_CODE.internalError, 'the client has no open stream for a question');
    void backend.post(formatErrorResponse(id, unreachable));
    return undefined;
  }

  /**
   * Gives up the oldest question that no call waits for, of the backend with the most such questions: one backend must not use up the limit for the
   * others. Returns false when there is none.
   */
  makeRoom(): boolean {
    const oldest = new Map<BackendSession, { readonly ourId: string; count: number }>();
    for (const [ourId, { backend, endsWith }] of this.#open) {
      if (endsWith === 'call') continue;
      const known = oldest.get(backend);
      if (known === undefined) oldest.set(backend, { ourId, count: 1 });
      else known.count++;
    }
    const [first, ...others] = oldest.values();
    if (first === undefined) return false;
    const { ourId } = others.reduce((most, entry) => (entry.count > most.count ? entry : most), first);
    this.#giveUp(ourId, TOO_MANY);
    return true;
  }

  /** Called when, as far as the gateway knows, no call waits for the questions of this backend. */
  abandonRequests(backend: BackendSession): void {
    for (const [ourId, serverRequest] of this.#open) {
      if (serverRequest.backend === backend && serverRequest.endsWith === 'time') this.#giveUp(ourId, UNWANTED);
    }
  }

  /** Gives up a question: neither the backend nor the client waits any longer. */
  #giveUp(ourId: string, reason: string): void {
    const serverRequest = this.#close(ourId);
    if (serverRequest === undefined) return;
    const { backend, id } = serverRequest;
    this.#asked.sendFor(backend, formatCancellation(ourId, reason));
    void backend.post(formatErrorResponse(id, new WireError(WIRE_CODE.internalError, reason)));
  }

  #close(ourId: string): OpenRequest | undefined {
    const serverRequest = this.#open.get(ourId);
    if (serverRequest === undefined) return undefined;
    this.#open.delete(ourId);
    startIdleTimer(CLIENT_MS).end(serverRequest);
    return serverRequest;
  }

  /** Converts the client's answer to one for the backend. Undefined when no question has its id: the backend may have withdrawn the question. */
  answer(envelope: Envelope): ServerRequestResponse | undefined {
    if (envelope.id === undefined || envelope.idSpan === undefined) return undefined;
    const key = formatIdKey(envelope.id);
    const serverRequest = this.#close(key);
    if (serverRequest === undefined) return undefined;
    const { backend, id, isTask } = serverRequest;
    const taskId = isTask ? readCreatedTaskId(envelope.text) : undefined;
    if (taskId !== undefined) this.#keepProgress(key, serverRequest);
    return { backend, text: splice(envelope, envelope.idSpan, id), taskId };
  }

  /** Converts the client's progress to a message for the backend. Undefined when no open request has its token. */
  progress({ text, params }: Envelope): ForBackend | undefined {
    const ours = params && readProgressTokenAt(text, params.start);
    const serverRequest = ours === undefined ? undefined : (this.#open.get(ours) ?? this.#inTasks.get(ours));
    if (params === undefined || serverRequest?.progressToken === undefined) return undefined;
    return { backend: serverRequest.backend, text: withProgressToken(text, params.start, serverRequest.progressToken) };
  }

  /** A backend's `notifications/cancelled`, with the ids that the client knows; undefined when it withdraws nothing. */
  withdrawal(backend: BackendSession, { text, params, requestId }: Envelope): string | undefined {
    if (params === undefined || requestId === undefined) return undefined;
    const key = formatIdKey(requestId);
    for (const [ourId, serverRequest] of this.#open) {
      if (serverRequest.backend !== backend || formatIdKey(serverRequest.id) !== key) continue;
      this.#close(ourId);
      return setMembers(text, params.start, new Map([['requestId', ourId]]));
    }
    return undefined;
  }

  /** Withdraws the questions that the client has not answered, because no call waits for the answers any more. */
  withdraw(ids: Iterable<string>, send: SendToClient): void {
    for (const id of ids) {
      if (this.#close(id) !== undefined) send(formatCancellation(id, UNWANTED));
    }
  }

  /** Called when a session with a backend has ended: the next session may send another question with the same id. */
  forget(backend: BackendSession, send: SendToClient): void {
    for (const [id, serverRequest] of this.#open) if (serverRequest.backend === backend) this.withdraw([id], send);
    for (const [id, serverRequest] of this.#inTasks) if (serverRequest.backend === backend) this.#inTasks.delete(id);
  }

  #keepProgress(ourId: string, question: OpenRequest): void {
    if (question.progressToken === undefined) return;
    this.#inTasks.set(ourId, question);
    if (this.#inTasks.size <= MAX_TASKS) return;
    for (const oldest of this.#inTasks.keys()) {
      this.#inTasks.delete(oldest);
      return;
    }
  }
}

/** The progress token of a backend's request, as JSON text; undefined for an invalid token. */
function findProgressToken({ text, meta }: Envelope): string | undefined {
  const token = meta && text[meta.start] === '{' ? readProgressTokenAt(text, meta.start) : undefined;
  return token !== undefined && /^["\d-]/.test(token) ? token : undefined;
}

/** The question with the gateway's id in place of its own id, and of its progress token if it has one. */
function replaceId(question: Envelope, idSpan: Span, ourId: string, hasToken: boolean): string {
  const { text, meta } = question;
  if (meta === undefined || !hasToken) return splice(question, idSpan, ourId);
  // The text that comes last is replaced first, so that the position of the other one remains valid.
  if (meta.start < idSpan.start) return withProgressToken(splice(question, idSpan, ourId), meta.start, ourId);
  const { start, end } = idSpan;
  const behind = withProgressToken(text, meta.start, ourId).slice(end);
  return text.slice(0, start) + ourId + behind;
}
