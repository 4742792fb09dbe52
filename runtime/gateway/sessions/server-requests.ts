/**
 * Requests of backends to a client: elicitation, sampling, roots and any other request. The gateway sends each question to the client under an
 * id of its own, because two backends may use the same one, and returns the answer under the backend's id. It does the same with progress
 * tokens.
 */
import { CAPABILITY_OF_REQUEST, type ClientTraits, hasAnnounced } from '../../mcp/client-traits.ts';
import { type Envelope, idKey, readParams, type Span, splice } from '../../mcp/envelope.ts';
import { setMembers } from '../../mcp/json-members.ts';
import { readProgressTokenAt, withProgressToken } from '../../mcp/progress-token.ts';
import { soundMessage } from '../../mcp/read-envelope.ts';
import { errorResponse, resultResponse, WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import type { BackendSession } from '../backends/backend.ts';
import { CLIENT_MS } from '../backends/context.ts';
import { idleTimer, NOWHERE, type TimedRequest } from '../backends/idle-timer.ts';
import { formatCancellation } from '../backends/messages/control-messages.ts';
import { readCreatedTaskId } from '../tasks/client-task.ts';

/** Questions of one client that wait for an answer; more would be a fault of a backend, or of a client that answers none. */
const MAX_OPEN = 64;

/** Questions that a client has made tasks of, and may still tell the progress of; the oldest are forgotten. */
const MAX_TASKS = 1_000;

/** Why a question does not get a place, or has lost it to another. */
const TOO_MANY = 'too many questions wait for their clients';

/** Why a question is withdrawn. */
const UNWANTED = 'no client waits for the answer any more';

/** About tasks of the client, which only a client with tasks can have. */
const TASK_QUESTIONS: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/cancel']);

/** It would show one backend what the others have asked. */
const NEVER_ASKED: ReadonlySet<string> = new Set(['tasks/list']);

/**
 * Whether a client with these capabilities may be asked this; unknown methods are passed on unchecked.
 *
 * @param params of the question as sound JSON text
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
 * What ends a request without a response: the call that it came with; time, where no call is known that waits for it. One that a
 * task asks is answered whenever the client comes to it, for as long as its place is not needed.
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

/** What is read of a question when it is asked. */
interface ReadRequest {
  /** The client may answer with a task of its. */
  readonly isTask: boolean;
  /** The backend's as JSON text. The client gets our id in its place, which no other question of its has. */
  readonly progressToken: string | undefined;
}

/** A question that waits for an answer, or whose task does. */
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

  silentTooLong(): void {
    this.#giveUp();
  }
}

/** What a client says about a question, in the words of the backend that has asked. */
export interface ForBackend {
  readonly backend: BackendSession;
  /** JSON text. */
  readonly text: string;
}

/** What a client has answered to a question. */
export interface ServerRequestResponse extends ForBackend {
  /** The task that the client has made of it. */
  readonly taskId: string | undefined;
}

/** Whether a notification of a backend says that it withdraws a question. */
export function isWithdrawal({ method }: Envelope): boolean {
  return method === 'notifications/cancelled';
}

/** Sends a message to the client; false when it was not delivered. */
export type SendToClient = (json: string) => boolean;

/** The client that gets the server-initiated requests. */
export interface RequestedClient {
  readonly client: ClientTraits;
  /** Whether one more request to the client may be open. */
  readonly mayWait: boolean;
  /** Sends what is about a backend's questions, outside of any call that waits for them. */
  sendFor(backend: BackendSession, json: string): boolean;
}

/** Ids of ours begin with it. */
const OUR_ID = 'lintel-q';

/** The replica that has asked a question under this id or token (JSON text); undefined when it does not say. */
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
  /** By our id as JSON text. */
  readonly #open = new Map<string, OpenRequest>();
  /** Those that were answered with a task: the token is good for as long as that. */
  readonly #inTasks = new Map<string, OpenRequest>();
  #count = 0;
  readonly #prefix: string;

  /** @param replica where the questions are asked, if answers may come to another */
  constructor(asked: RequestedClient, replica?: number) {
    this.#asked = asked;
    this.#prefix = replica === undefined ? OUR_ID : `${OUR_ID}${replica}.`;
  }

  /** Those that wait for an answer. */
  get size(): number {
    return this.#open.size;
  }

  /** Asks the client, or answers the backend at once. Returns our id while the question is open. */
  ask(serverRequest: ServerRequest, send: SendToClient): string | undefined {
    const { backend, json, id, method, endsWith } = serverRequest;
    if (method === 'ping') {
      void backend.post(resultResponse(id, '{}'));
      return undefined;
    }
    const message = soundMessage(json);
    const isFit =
      message !== undefined && canReceiveRequest(this.#asked.client.capabilities, method, readParams(message));
    if (message?.idSpan === undefined || !isFit || !(this.#open.size < MAX_OPEN || this.makeRoom())) {
      void backend.post(errorResponse(id, new WireError(WIRE_CODE.methodNotFound, 'Method not found')));
      return undefined;
    }
    if (!this.#asked.mayWait) {
      void backend.post(errorResponse(id, new WireError(WIRE_CODE.internalError, TOO_MANY)));
      return undefined;
    }
    const ourId = `"${this.#prefix}${++this.#count}"`;
    const progressToken = findProgressToken(message);
    const isTask = message.task !== undefined;
    const open = new OpenRequest(serverRequest, { isTask, progressToken }, () =>
      this.#giveUp(ourId, 'the client has not answered'),
    );
    this.#open.set(ourId, open);
    if (send(underOurId(message, message.idSpan, ourId, progressToken !== undefined))) {
      if (endsWith === 'time') idleTimer(CLIENT_MS).begin(open);
      return ourId;
    }
    this.#open.delete(ourId);
    const unreachable = new WireError(WIRE_CODE.internalError, 'the client has no open stream to be asked on');
    void backend.post(errorResponse(id, unreachable));
    return undefined;
  }

  /**
   * Gives up the oldest question that no call waits for, of the backend that has most of them: one backend must not take the places of
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
    const { ourId } = others.reduce((most, one) => (one.count > most.count ? one : most), first);
    this.#giveUp(ourId, TOO_MANY);
    return true;
  }

  /** No call waits for what this backend has asked, as far as is known. */
  abandonRequests(backend: BackendSession): void {
    for (const [ourId, serverRequest] of this.#open) {
      if (serverRequest.backend === backend && serverRequest.endsWith === 'time') this.#giveUp(ourId, UNWANTED);
    }
  }

  /** Neither side waits any longer. */
  #giveUp(ourId: string, reason: string): void {
    const serverRequest = this.#close(ourId);
    if (serverRequest === undefined) return;
    const { backend, id } = serverRequest;
    this.#asked.sendFor(backend, formatCancellation(ourId, reason));
    void backend.post(errorResponse(id, new WireError(WIRE_CODE.internalError, reason)));
  }

  #close(ourId: string): OpenRequest | undefined {
    const serverRequest = this.#open.get(ourId);
    if (serverRequest === undefined) return undefined;
    this.#open.delete(ourId);
    idleTimer(CLIENT_MS).end(serverRequest);
    return serverRequest;
  }

  /** The client has answered. Undefined for an answer to nothing: the question may have been withdrawn. */
  answer(envelope: Envelope): ServerRequestResponse | undefined {
    if (envelope.id === undefined || envelope.idSpan === undefined) return undefined;
    const key = idKey(envelope.id);
    const serverRequest = this.#close(key);
    if (serverRequest === undefined) return undefined;
    const { backend, id, isTask } = serverRequest;
    const taskId = isTask ? readCreatedTaskId(envelope.text) : undefined;
    if (taskId !== undefined) this.#keepProgress(key, serverRequest);
    return { backend, text: splice(envelope, envelope.idSpan, id), taskId };
  }

  /** The client tells how far it is. Undefined for what is no open request. */
  progress({ text, params }: Envelope): ForBackend | undefined {
    const ours = params && readProgressTokenAt(text, params.start);
    const serverRequest = ours === undefined ? undefined : (this.#open.get(ours) ?? this.#inTasks.get(ours));
    if (params === undefined || serverRequest?.progressToken === undefined) return undefined;
    return { backend: serverRequest.backend, text: withProgressToken(text, params.start, serverRequest.progressToken) };
  }

  /** A `notifications/cancelled` of a backend in the client's words; undefined when it withdraws nothing. */
  withdrawal(backend: BackendSession, { text, params, requestId }: Envelope): string | undefined {
    if (params === undefined || requestId === undefined) return undefined;
    const key = idKey(requestId);
    for (const [ourId, serverRequest] of this.#open) {
      if (serverRequest.backend !== backend || idKey(serverRequest.id) !== key) continue;
      this.#close(ourId);
      return setMembers(text, params.start, new Map([['requestId', ourId]]));
    }
    return undefined;
  }

  /** These responses are no longer awaited: cancels those that the client still owes. */
  withdraw(ids: Iterable<string>, send: SendToClient): void {
    for (const id of ids) {
      if (this.#close(id) !== undefined) send(formatCancellation(id, UNWANTED));
    }
  }

  /** The session with a backend is gone: its next one may ask something else under the same id. */
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

/** The progress token of a server-initiated request, as JSON text; undefined for what is no token. */
function findProgressToken({ text, meta }: Envelope): string | undefined {
  const token = meta && text[meta.start] === '{' ? readProgressTokenAt(text, meta.start) : undefined;
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
