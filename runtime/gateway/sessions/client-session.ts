import type { Identity } from '../../auth/identity.ts';
import type { ClientTraits } from '../../mcp/client-traits.ts';
import { type Envelope, formatIdKey } from '../../mcp/envelope.ts';
import type { ClientResponder } from '../../mcp/handler.ts';
import type { ResponseSink } from '../../mcp/response-sink.ts';
import { formatErrorResponse, WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import type { BackendRequest, BackendSession } from '../backends/backend.ts';
import type { CapabilitySet } from '../backends/capability-set.ts';
import { createTooManyOpenOfSession, MAX_OPEN_OF_SESSION } from '../backends/health/bulkhead.ts';
import { ResourceSubscriptions } from '../backends/resource-subscriptions.ts';
import type { Sender } from '../backends/sender.ts';
import type { BackendConnection } from '../connections/connection.ts';
import { isAboutOneTask, readTaskId } from '../tasks/client-task.ts';
import { namesTask, SessionTasks } from '../tasks/session-tasks.ts';
import { LogLevel } from './log-level.ts';
import type { RelayedCall } from './relayed-call.ts';
import { ServerMessages } from './server-messages.ts';
import {
  canReceiveRequest,
  isWithdrawal,
  type RequestedClient,
  type SendToClient,
  type ServerRequest,
  type ServerRequestEnd,
  ServerRequests,
} from './server-requests.ts';
import type { SharedSession } from './shared-session.ts';
import { WaitingRequests } from './waiting-requests.ts';
import type { WaitingSession, WaitingSessions } from './waiting-sessions.ts';

/** The gateway's state of one client session: its own session with each backend that it has called. */
export class GatewaySession implements WaitingSession, RequestedClient {
  readonly client: ClientTraits;
  /** The clients that announced the same capabilities as this one; undefined when it announced none. */
  readonly capabilitySet: CapabilitySet | undefined;
  /** The sender of the latest request of the session. */
  sender: Sender;
  readonly share: string;
  readonly #sharing: WaitingSessions;
  readonly #mayReceive: (caller: Identity, notification: Envelope) => boolean;
  readonly questions: ServerRequests;
  /** The client's subscribed resources, and where it subscribed. */
  readonly subscriptions = new ResourceSubscriptions<BackendConnection>(uri =>
    this.shared?.noteSubscription(uri, undefined),
  );
  readonly #backends = new Map<BackendConnection, BackendSession>();
  /** An array, because a `Set` that becomes empty after each call costs 5 % of a call (adr/0023-tuning.md). */
  readonly #running: RelayedCall[] = [];
  /** Requests that have not been sent yet; most sessions never have any. */
  #waiting: WaitingRequests | undefined;
  /** Sessions on connections that a new bundle no longer needs; each ends with its last request. */
  readonly #retired = new Map<BackendSession, BackendConnection>();
  /** Sessions whose standing stream this replica reads. */
  readonly #listening = new Set<BackendSession>();
  /** Sends a message to the client, outside of any request. */
  #send: SendToClient = () => false;
  /** Whether the client has opened a standing stream, on which unsolicited messages of backends can be delivered. */
  isListening = false;
  /** Tasks in the session; most sessions never have any. */
  #tasks: SessionTasks | undefined;
  readonly #logLevel = new LogLevel();
  #isClosed = false;
  #isLeft = false;
  /** The session's state in all replicas; undefined when there is only one replica. */
  shared: SharedSession | undefined;

  /**
   * @param mayReceive whether a caller may receive a backend's unsolicited message
   * @param replica the number of this replica, when others serve the session as well
   * @param share counts the session's waits within its caller's share
   */
  constructor(
    client: ClientTraits,
    sender: Sender,
    mayReceive: (caller: Identity, notification: Envelope) => boolean,
    share: { readonly of: string; readonly among: WaitingSessions },
    replica?: number,
  ) {
    this.share = share.of;
    this.#sharing = share.among;
    this.client = client;
    this.sender = sender;
    this.capabilitySet = sender.capabilitySet;
    this.#mayReceive = mayReceive;
    this.questions = new ServerRequests(this, replica);
  }

  get caller(): Identity {
    return this.sender.identity;
  }

  get waits(): number {
    return this.questions.size + this.#running.reduce((count, { awaitsTask }) => count + Number(awaitsTask), 0);
  }

  /** Whether the backends may send the client one more request. */
  get mayWait(): boolean {
    return this.#sharing.hasRoom(this);
  }

  /** Gives up the oldest question that no call waits for, so that another one can be sent. */
  makeRoom(): boolean {
    return this.questions.makeRoom();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get tasks(): SessionTasks {
    this.#tasks ??= new SessionTasks((backend, id) => this.shared?.note({ [`task:${backend}:${id}`]: '' }));
    return this.#tasks;
  }

  /** Whether messages of backends may be about tasks. */
  get hasTasks(): boolean {
    return this.#tasks !== undefined;
  }

  /** Called when the session exists: from now on `send` reaches the client. */
  opened(send: SendToClient): void {
    this.#send = send;
  }

  /** Sends a message outside of any request; false when it was not delivered. */
  send(json: string): boolean {
    return this.#send(json);
  }

  /** The session with a backend, opened on first use. */
  backend(connection: BackendConnection): BackendSession {
    let session = this.#backends.get(connection);
    if (session === undefined) {
      const wishes = {
        logLevel: this.#logLevel.value,
        prefersSessions: true,
        shared: this.shared?.getSession(connection),
      };
      session = connection.openSession(this.client, () => this.sender, wishes);
      this.#backends.set(connection, session);
      if (this.isListening) this.#listen(connection, session);
      else session.receive(new ServerMessages(this, connection, session));
    }
    return session;
  }

  /** The session with a backend, if this replica has used it. */
  usedBackend(connection: BackendConnection): BackendSession | undefined {
    return this.#backends.get(connection);
  }

  /**
   * Called when the client opens its standing stream: from now on the gateway listens to the backends. Not before, because each stream occupies a
   * connection.
   */
  listen(): void {
    this.isListening = true;
    for (const [connection, session] of this.#backends) this.#listen(connection, session);
  }

  /** Does the same as `backend`, and receives the backend's unsolicited messages. */
  listenToBackend(connection: BackendConnection): BackendSession {
    const session = this.backend(connection);
    // Among replicas, only the one with the client's stream listens, because a backend has one stream for a session.
    if (this.shared === undefined || this.isListening) this.#listen(connection, session);
    return session;
  }

  /** Called when another replica has the client's standing stream now, and listens to the backends. */
  unlisten(): void {
    this.isListening = false;
    for (const session of this.#listening) session.unlisten?.();
    this.#listening.clear();
  }

  get logLevel(): string | undefined {
    return this.#logLevel.value;
  }

  /** Handles `logging/setLevel`: sends the level to the backends of the session, and to further ones when they are used. */
  setLogLevel(level: string): void {
    this.#logLevel.set(level, this.#backends.values());
  }

  /** Sends a client's request, which counts as running, to a backend, after the log level that the client has set before. */
  request(backend: BackendSession, request: BackendRequest, sink: ResponseSink): void {
    if (this.#running.length > MAX_OPEN_OF_SESSION && this.#isFullOf(backend)) {
      this.#refuse(backend, sink);
      return;
    }
    this.#logLevel.sendAfter(backend, request, sink);
  }

  #isFullOf(backend: BackendSession): boolean {
    return this.#running.reduce((count, call) => count + Number(call.backend === backend), 0) > MAX_OPEN_OF_SESSION;
  }

  #refuse(backend: BackendSession, sink: ResponseSink): void {
    const current = [...this.#backends].find(([, session]) => session === backend)?.[0];
    const connection = current ?? this.#retired.get(backend);
    connection?.bulkhead.refuse();
    sink.fail(createTooManyOpenOfSession(connection?.name ?? ''));
  }

  /** Sends a notification of the client to every backend. */
  broadcast(text: string): void {
    for (const session of this.#backends.values()) void session.post(text);
  }

  /** Forwards a backend's notification to the client. A cancellation is forwarded only if it withdraws a question of the same backend. */
  passOn(backend: BackendSession, notification: Envelope, send: SendToClient): void {
    if (!this.#mayReceive(this.caller, notification)) return;
    const { method } = notification;
    const forwarded = isWithdrawal(notification) ? this.questions.withdrawal(backend, notification) : notification.text;
    const text = forwarded === undefined ? undefined : this.#toClient(backend, forwarded, method);
    if (text !== undefined) send(text);
  }

  /** Sends a backend's question to the client. Returns the gateway's id while the question is open. */
  ask(serverRequest: ServerRequest, send: SendToClient): string | undefined {
    const { backend, id, json, method } = serverRequest;
    const isAboutTask = isAboutOneTask(method) && canReceiveRequest(this.client.capabilities, method);
    // A request about a task must name one that belongs to this backend: a backend must not see the client's tasks for other backends.
    if (isAboutTask && this.#tasks?.findOwner(readTaskId(json) ?? '') !== backend) {
      void backend.post(formatErrorResponse(id, new WireError(WIRE_CODE.invalidParams, 'unknown task')));
      return undefined;
    }
    return this.questions.ask({ ...serverRequest, json: this.#toClient(backend, json, method) ?? json }, send);
  }

  /** The event that ends a question (JSON text) without a response: `otherwise`, unless a task sent the question. */
  toEnd(json: string, otherwise: ServerRequestEnd): ServerRequestEnd {
    return this.hasTasks && namesTask(json) ? 'task' : otherwise;
  }

  /** Called when the client has answered a question. */
  answered(envelope: Envelope): void {
    const answer = this.questions.answer(envelope);
    if (answer === undefined) return;
    const { backend, text, taskId } = answer;
    if (taskId !== undefined) this.tasks.clientMade(taskId, backend);
    void backend.post(this.#toBackend(backend, text));
  }

  /** Called when the client reports progress of a question: forwards it to the backend that asked the question. */
  progressed(envelope: Envelope): void {
    const progress = this.questions.progress(envelope);
    if (progress !== undefined) void progress.backend.post(this.#toBackend(progress.backend, progress.text));
  }

  /** Called when the client reports the state of its own task: forwards it to the task's backend. */
  taskStatus({ taskId, text }: Envelope): void {
    if (taskId !== undefined) void this.#tasks?.findOwner(taskId.value)?.post(text);
  }

  started(call: RelayedCall): void {
    this.#running.push(call);
  }

  /**
   * Called when a call ends without its answer. If all messages of a backend arrive on one stream, its questions may belong to any call: they are
   * given up with the last call.
   */
  givesUp(call: RelayedCall): void {
    const { backend } = call;
    if (!backend.sharesOneStream || this.#running.some(other => other !== call && other.backend === backend)) return;
    this.questions.abandonRequests(backend);
  }

  finished(call: RelayedCall): void {
    const at = this.#running.indexOf(call);
    if (at !== -1) this.#running.splice(at, 1);
    this.#endIfIdle(call.backend);
  }

  /** Waits on behalf of a request that has not been sent yet. The client can cancel it meanwhile, which aborts its answer. */
  waitFor<T>(id: string, answer: ClientResponder, awaited: Promise<T>): Promise<T> {
    this.#waiting ??= new WaitingRequests();
    return this.#waiting.waitFor(id, answer, awaited);
  }

  /**
   * Handles `notifications/cancelled` for the request `id`. A client may reuse the id of a call that it has given up. Returns false when this replica
   * has no such request.
   */
  cancel(id: string, notification: string): boolean {
    const key = formatIdKey(id);
    const call = this.#running.find(running => formatIdKey(running.id) === key && !running.isCancelled);
    if (call === undefined) return this.#waiting?.cancel(id) === true;
    call.cancel(notification);
    return true;
  }

  /** Stops using these connections: their sessions end after their last request. */
  retire(connections: readonly BackendConnection[]): void {
    for (const connection of connections) {
      const session = this.#backends.get(connection);
      if (session === undefined) continue;
      this.#backends.delete(connection);
      this.#retired.set(session, connection);
      this.#endIfIdle(session);
    }
  }

  /**
   * Ends all sessions; running requests fail.
   * @param isLeft other replicas continue the sessions with the backends
   */
  close(isLeft = false): void {
    this.#isClosed = true;
    this.#isLeft = isLeft;
    this.#running.length = 0;
    this.subscriptions.clear();
    this.retire([...this.#backends.keys()]);
    for (const session of [...this.#retired.keys()]) this.#endIfIdle(session);
  }

  #listen(connection: BackendConnection, session: BackendSession): void {
    if (this.#listening.has(session)) return;
    this.#listening.add(session);
    session.listen(new ServerMessages(this, connection, session));
  }

  /**
   * Sends a backend's unsolicited message; false when it was not delivered. Without a standing stream, a message that arrives during a call of
   * this client can be sent with the answer.
   */
  sendFor(session: BackendSession, json: string): boolean {
    if (this.#send(json)) return true;
    for (const { backend, answer } of this.#running) {
      if (backend === session && answer.message(json)) return true;
    }
    return false;
  }

  #toClient(backend: BackendSession, json: string, method: string): string | undefined {
    return this.#tasks === undefined ? json : this.#tasks.messageToClient(json, method, backend);
  }

  #toBackend(backend: BackendSession, text: string): string {
    return this.#tasks === undefined ? text : this.#tasks.messageToBackend(text, backend);
  }

  #endIfIdle(session: BackendSession): void {
    const connection = this.#retired.get(session);
    if (connection === undefined || this.#runsIn(session)) return;
    if (this.shared === undefined || this.#isClosed || session.isOpen !== true)
      this.#end(session, connection, this.#isLeft);
    else void this.#endUnlessUsed(session, connection, this.shared);
  }

  /** Ends a session with a backend, unless another replica uses it for its calls: the last replica that uses it ends it. */
  async #endUnlessUsed(session: BackendSession, connection: BackendConnection, shared: SharedSession): Promise<void> {
    const isUsed = await shared.isUsedElsewhere(connection);
    // While the other replicas were asked, the client's session may have ended, or a workflow of the former bundle may have continued.
    if (this.#retired.has(session) && !this.#runsIn(session))
      this.#end(session, connection, isUsed || this.uses(connection.identity));
  }

  /** Whether this replica uses the session on a connection of this identity, and thus will end it. */
  uses(reach: string): boolean {
    for (const [{ identity }, session] of this.#backends)
      if (identity === reach && session.isOpen === true) return true;
    for (const [session, { identity }] of this.#retired) if (identity === reach && this.#runsIn(session)) return true;
    return false;
  }

  #runsIn(session: BackendSession): boolean {
    return this.#running.some(({ backend }) => backend === session);
  }

  /**
   * Ends a session with a backend.
   * @param isLeft other replicas continue that session
   */
  #end(session: BackendSession, connection: BackendConnection, isLeft: boolean): void {
    this.#retired.delete(session);
    this.#listening.delete(session);
    this.#logLevel.forget(session);
    this.#tasks?.forget(session);
    this.questions.forget(session, json => !this.#isClosed && this.#send(json));
    void connection.endSession(session, isLeft);
  }
}
