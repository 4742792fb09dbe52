import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerStopped } from './stopped-answers.ts';

/** How many times unread bytes are checked within their time limit. */
const CHECKS_IN_A_WAIT = 5;

/** How long the last answers may take to reach their clients, in milliseconds. */
const LAST_ANSWERS_MS = 200;

/** What the server remembers of a client's connection. */
interface Client {
  /** The unfinished answers. An array, because a `Set` that becomes empty after each call costs 5 % of a call (adr/0023-tuning.md). */
  readonly answers: ServerResponse[];
  /** Whether bytes were unread at the last check. */
  isAwaited: boolean;
}

/**
 * Tracks which connections of a server carry an unfinished answer, so that draining loses no answer. Node treats a connection as idle once `end()`
 * was called, and would truncate an answer that a slow client is still reading. When a connection closes, this class also closes the answers
 * that wait on it behind others.
 */
export class Connections {
  readonly #server: Server;
  readonly #clients = new Map<Socket, Client>();
  readonly #unreadMs: number;
  #checking: NodeJS.Timeout | undefined;
  /** How long a connection without a request stays open while draining; undefined before that. Milliseconds. */
  #leaveMs: number | undefined;
  #onEmpty: () => void = () => {};

  /** @param unreadMs how long a client may leave its bytes unread, in milliseconds */
  constructor(server: Server, unreadMs: number) {
    this.#server = server;
    this.#unreadMs = unreadMs;
    server.on('timeout', (socket: Socket) => this.#timedOut(socket));
    server.on('connection', (socket: Socket) => {
      this.#clients.set(socket, { answers: [], isAwaited: false });
      this.#checking ??= setInterval(() => this.#checkUnread(), unreadMs / CHECKS_IN_A_WAIT).unref();
      socket.once('close', () => this.#closed(socket));
    });
    // `server.close()` calls this method.
    server.closeIdleConnections = () => this.#closeIdle();
  }

  get isDraining(): boolean {
    return this.#leaveMs !== undefined;
  }

  /** Whether an earlier request on the same connection has no answer yet (pipelining): the connection may close after that answer. */
  isBehindAnother({ socket }: IncomingMessage): boolean {
    return (this.#clients.get(socket)?.answers.length ?? 0) > 1;
  }

  /** Records a request; its connection is busy until the answer has been written. */
  begin(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    const answers = this.#clients.get(socket)?.answers ?? [];
    answers.push(res);
    res.on('close', () => {
      const at = answers.indexOf(res);
      if (at !== -1) answers.splice(at, 1);
      this.#leave(socket, answers);
    });
  }

  /**
   * Stops accepting, and waits for running answers. After `drainMs`, the remaining requests get the answers of `setStoppedAnswer`, and the
   * connections are closed. If `drainMs` is 0, the connections are closed at once.
   */
  async drain(
    { drainMs, leaveMs }: { readonly drainMs: number; readonly leaveMs: number },
    onDrain: (() => void) | undefined,
  ): Promise<void> {
    this.#leaveMs = leaveMs;
    // `server.close()` does not wait for connections that another process has accepted and passed to this one.
    const closed = Promise.all([
      new Promise<void>(resolve => this.#server.close(() => resolve())),
      this.#waitUntilClosed(),
    ]);
    onDrain?.();
    for (const { answers } of this.#clients.values()) {
      for (const res of answers) {
        if (!res.headersSent) res.setHeader('Connection', 'close');
      }
    }
    let deadline = setTimeout(() => {
      if (drainMs > 0)
        for (const { answers } of this.#clients.values()) for (const res of [...answers]) answerStopped(res);
      deadline = setTimeout(() => this.#server.closeAllConnections(), drainMs > 0 ? LAST_ANSWERS_MS : 0);
    }, drainMs);
    await closed;
    clearTimeout(deadline);
    clearInterval(this.#checking);
  }

  #waitUntilClosed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    if (this.#clients.size === 0) resolve();
    return promise;
  }

  #closed(socket: Socket): void {
    const answers = this.#clients.get(socket)?.answers ?? [];
    this.#clients.delete(socket);
    for (const res of [...answers]) closeWaiting(res);
    if (this.#clients.size === 0) this.#onEmpty();
  }

  /** Sets a time limit for connections with unread bytes, by one timer. A timer for each connection would be set again for each request. */
  #checkUnread(): void {
    for (const [socket, client] of this.#clients) {
      const isAwaited = client.answers.length > 0 && socket.writableLength > 0;
      if (isAwaited === client.isAwaited) continue;
      client.isAwaited = isAwaited;
      if (isAwaited) socket.setTimeout(this.#unreadMs);
      // Without a running answer, Node's limit for idle connections applies.
      else if (client.answers.length > 0) socket.setTimeout(0);
    }
  }

  /**
   * Called when no byte was read or written for the time limit. This is normal while an answer takes long. But a connection ends here if its client
   * leaves bytes unread, or if it is idle.
   */
  #timedOut(socket: Socket): void {
    const client = this.#clients.get(socket);
    const isSilent = client !== undefined && client.answers.length > 0 && socket.writableLength === 0;
    if (!isSilent) socket.destroy();
  }

  #closeIdle(): void {
    for (const [socket, { answers }] of this.#clients) this.#leave(socket, answers);
  }

  /**
   * While draining, closes a connection without a request. Not at once: a request that the client sends at that moment would be lost, and the
   * client could not know whether it had an effect. Until then requests are answered, with a notice that the connection closes.
   */
  #leave(socket: Socket, answers: readonly ServerResponse[]): void {
    if (this.#leaveMs === undefined || answers.length > 0) return;
    setTimeout(() => {
      if (answers.length === 0) socket.destroySoon();
    }, this.#leaveMs).unref();
  }
}

/**
 * Closes an answer that waits behind others (pipelining; RFC 9112, section 9.3.2). Node assigns a connection to one answer at a time, and
 * notifies only that one when the connection closes: the others would never release their resources.
 */
function closeWaiting(res: ServerResponse): void {
  if (res.socket !== null || res.writableFinished) return;
  res.destroy();
  res.emit('close');
}
