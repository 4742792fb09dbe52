/** A session of a client over Streamable HTTP. It decides which stream a message of the program goes to. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  CONNECTION_CLOSED,
  formatError,
  type Message,
  type MessageKind,
  REQUEST_TIMEOUT,
  readProgressToken,
  toIdKey,
} from '../message.ts';
import type { ProgramOwner } from '../process/program.ts';
import type { StdioServer } from '../server.ts';
import { beginEvents, writeEvent } from './event-stream.ts';
import { findSpan, replaceSpan } from './json-span.ts';
import type { Link } from './link.ts';
import { Post } from './post.ts';

/** Messages held for a client without a standing stream; the oldest is dropped first. */
const MAX_WAITING = 256;

/** Notifications about the server as a whole, which belong to no request. */
const ABOUT_SERVER = /^notifications\/(?:.*\/list_changed|resources\/updated|elicitation\/complete|tasks\/status)$/;

interface PendingRequest {
  readonly id: unknown;
  readonly post: Post;
  readonly progress: string | undefined;
  readonly isInitialize: boolean;
  timer: NodeJS.Timeout | undefined;
}

export interface ReceivedMessage {
  /** The text of the message on one line. */
  readonly text: string;
  readonly message: Message;
  readonly kind: MessageKind;
}

/** An `initialize` whose client may disconnect before the program answers. */
interface PendingInitialize {
  /** The parameters, as JSON. */
  readonly params: string;
  post: Post;
  /** The request id of the client that waits. */
  id: unknown;
  /** The program's answer; undefined until it has answered. */
  answer: string | undefined;
}

export class BridgeSession implements ProgramOwner {
  readonly id: string = randomUUID();
  readonly server: StdioServer;
  readonly #onEnd: (session: BridgeSession) => void;
  readonly #pending: Map<string, PendingRequest> = new Map();
  #link: Link | undefined;
  #standing: ServerResponse | undefined;
  #waiting: string[] = [];
  #usedAt: number = performance.now();
  /** Kept until a message proves that the client read the answer. */
  #opening: PendingInitialize | undefined;
  #end: string | undefined;

  /** `onEnd` is called once, however the session ends. */
  constructor(server: StdioServer, onEnd: (session: BridgeSession) => void) {
    this.server = server;
    this.#onEnd = onEnd;
  }

  /** Connects the session to its program. If the session has ended meanwhile, closes the link instead. */
  open(link: Link): void {
    if (this.#end === undefined) this.#link = link;
    else void link.close(this.#end);
  }

  /** How long the session has been idle; milliseconds. */
  get idleMs(): number {
    return this.#pending.size > 0 || this.#standing !== undefined ? 0 : performance.now() - this.#usedAt;
  }

  /**
   * Gives the session to another client, if the client that opened it disconnected before it had the answer. A program may take longer to start than
   * clients wait, for example when it is downloaded first. Without this, each attempt would start another process, and no client would ever get an
   * answer.
   *
   * @param given an `initialize`
   * @returns whether the session now belongs to that client
   */
  adopt({ message }: ReceivedMessage, res: ServerResponse): boolean {
    const opening = this.#opening;
    if (opening === undefined || this.#end !== undefined || opening.post.isClaimed) return false;
    if (opening.params !== JSON.stringify(message.params)) return false;
    this.#usedAt = performance.now();
    opening.post = new Post(res, 1, { 'mcp-session-id': this.id });
    opening.id = message.id;
    if (opening.answer === undefined) this.#watch(opening, res);
    else this.#open(opening, opening.answer);
    return true;
  }

  /** Handles the messages of one POST. Its response carries every message that belongs to one of its requests. */
  post(messages: readonly ReceivedMessage[], res: ServerResponse): void {
    this.#usedAt = performance.now();
    this.#opening = undefined;
    const requests = messages.filter(({ kind }) => kind === 'request');
    const isOpening = requests.some(({ message }) => message.method === 'initialize');
    const post = new Post(res, requests.length, isOpening ? { 'mcp-session-id': this.id } : {});
    for (const { message } of requests) {
      this.#expect(message, post);
      if (message.method !== 'initialize') continue;
      this.#opening = { params: JSON.stringify(message.params), post, id: message.id, answer: undefined };
      this.#watch(this.#opening, res);
    }
    for (const { text, message, kind } of messages) {
      if (this.#link?.send(text, message) === true || kind !== 'request') continue;
      this.#fail(message.id, CONNECTION_CLOSED, this.#end ?? 'does not read its standard input');
    }
    if (requests.length === 0) res.writeHead(202).end();
  }

  /** Opens the standing stream, for messages that belong to no request of the client. */
  listen(res: ServerResponse): void {
    this.#standing?.end();
    this.#standing = res;
    beginEvents(res);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const text of waiting) writeEvent(res, text);
    res.once('close', () => {
      this.#usedAt = performance.now();
      if (this.#standing === res) this.#standing = undefined;
    });
  }

  received(text: string, message: Message, kind: MessageKind): void {
    if (kind === 'response') this.#answered(text, message);
    else this.#placeMessage(message, kind)(text);
  }

  lost(id: unknown, bytes: number): void {
    const [only] = this.#pending.values();
    const failedId = id === undefined && this.#pending.size === 1 ? only?.id : id;
    if (failedId !== undefined)
      this.#fail(failedId, CONNECTION_CLOSED, `sent a response of ${bytes} bytes, which is too large`);
  }

  ended(reason: string): void {
    this.#close(reason);
  }

  /** Ends the session and its link to the program. Resolves when both have ended. */
  async close(reason: string): Promise<void> {
    const link = this.#link;
    this.#close(reason);
    await link?.close(reason);
  }

  #close(reason: string): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#link = undefined;
    for (const { id } of [...this.#pending.values()]) this.#fail(id, CONNECTION_CLOSED, reason);
    this.#standing?.end();
    this.#onEnd(this);
  }

  #expect(message: Message, post: Post): void {
    const token = readProgressToken(message);
    const pending: PendingRequest = {
      id: message.id,
      post,
      progress: token === undefined ? undefined : toIdKey(token),
      isInitialize: message.method === 'initialize',
      timer: undefined,
    };
    const { startTimeoutMs, requestTimeoutMs } = this.server.plan;
    const timeoutMs = pending.isInitialize ? startTimeoutMs : requestTimeoutMs;
    pending.timer = setTimeout(() => this.#late(pending, timeoutMs), timeoutMs);
    this.#pending.set(toIdKey(message.id), pending);
  }

  #late({ id, isInitialize }: PendingRequest, timeoutMs: number): void {
    const reason = `did not answer within ${timeoutMs / 1000} s`;
    this.#fail(id, REQUEST_TIMEOUT, reason);
    if (isInitialize) {
      this.server.failed(reason);
      void this.close(reason);
      return;
    }
    const message = { method: 'notifications/cancelled', params: { requestId: id, reason: 'timeout' } };
    this.#link?.send(JSON.stringify({ jsonrpc: '2.0', ...message }), message);
  }

  #answered(text: string, message: Message): void {
    const pending = this.#settle(message.id);
    if (pending === undefined) return; // The request was cancelled, the answer is late, or no request has this id.
    if (pending.isInitialize && this.#opening !== undefined) this.#open(this.#opening, text);
    else pending.post.answer(text);
    if (pending.isInitialize && message.error !== undefined) void this.close('refused to initialize');
  }

  #watch(opening: PendingInitialize, res: ServerResponse): void {
    res.once('close', () => {
      if (this.#opening === opening && opening.answer === undefined && this.#end === undefined)
        this.server.log.info('the client disconnected while the server started: the next client gets the server');
    });
  }

  #open(opening: PendingInitialize, text: string): void {
    const span = findSpan(text, ['id']);
    opening.answer = text;
    opening.post.answer(span === undefined ? text : replaceSpan(text, span, JSON.stringify(opening.id)));
  }

  #fail(id: unknown, code: number, reason: string): void {
    const pending = this.#settle(id);
    const opening = pending?.isInitialize === true ? this.#opening : undefined;
    const post = opening?.post ?? pending?.post;
    post?.answer(formatError(opening?.id ?? id, code, `the server ${this.server.name} ${reason}`));
  }

  #settle(id: unknown): PendingRequest | undefined {
    const key = toIdKey(id);
    const pending = this.#pending.get(key);
    clearTimeout(pending?.timer);
    this.#pending.delete(key);
    return pending;
  }

  /**
   * Finds the response or stream for a message. Over standard streams a message does not say which request it belongs to. A progress notification
   * names its request. Any other message that arrives while exactly one request is in flight is assigned to that request. Everything else goes to the
   * standing stream.
   */
  #placeMessage(message: Message, kind: MessageKind): (text: string) => void {
    const { method } = message;
    if (method === 'notifications/progress') {
      const token = toIdKey(readProgressToken(message));
      const reported = [...this.#pending.values()].find(({ progress }) => progress === token);
      if (reported !== undefined) {
        reported.timer?.refresh();
        return text => reported.post.sendText(text);
      }
    }
    const [only, ...others] = this.#pending.values();
    const isAboutServer = kind === 'notification' && ABOUT_SERVER.test(String(method));
    if (only !== undefined && others.length === 0 && only.post.isConnected && !isAboutServer)
      return text => only.post.sendText(text);
    return text => this.#sendOnStandingStream(text);
  }

  #sendOnStandingStream(text: string): void {
    if (this.#standing !== undefined) {
      writeEvent(this.#standing, text);
      return;
    }
    this.#waiting.push(text);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }
}
