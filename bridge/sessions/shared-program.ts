/**
 * One process for all sessions. The bridge initializes it once, without client capabilities, because a request of the program does not say which
 * session it is for. The bridge replaces ids and progress tokens by numbers that are unique across sessions.
 */
import { VERSION } from '#schemas';
import {
  formatError,
  METHOD_NOT_FOUND,
  type Message,
  type MessageKind,
  readProgressToken,
  toIdKey,
} from '../message.ts';
import type { Program, ProgramOwner } from '../process/program.ts';
import type { StdioServer } from '../server.ts';
import { findSpan, replaceSpan } from './json-span.ts';
import type { Link } from './link.ts';

/** A request of a session. The program gets the request under an id of the bridge, and the session under its own id. */
interface PendingInitialization {
  readonly owner: ProgramOwner;
  /** The request's id as JSON text. */
  readonly id: string;
  /** The request's progress token as JSON text; undefined if it has none. */
  readonly progressToken: string | undefined;
}

const INITIALIZE = 0;

export class SharedProgram implements ProgramOwner {
  readonly #onEnd: () => void;
  readonly #initializations: Map<number, PendingInitialization> = new Map();
  /** The resources that each session subscribed to. */
  readonly #followed: Map<ProgramOwner, Set<string>> = new Map();
  #program: Program | undefined;
  #lastNumber = INITIALIZE;
  /** Requests to `initialize` that arrived before the program answered the bridge's own. */
  #early: PendingInitialization[] = [];
  #isOpening = false;
  /** The program's answer to `initialize`. */
  #identity: string | undefined;

  /** `onEnd` is called before the sessions learn of the end. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** @throws UnavailableError */
  async start(server: StdioServer): Promise<this> {
    this.#program = await server.start(this);
    return this;
  }

  /** Adds a session. */
  attach(owner: ProgramOwner): Link {
    this.#followed.set(owner, new Set());
    return { send: (text, message) => this.#send(owner, text, message), close: async () => this.#detach(owner) };
  }

  async end(reason: string): Promise<void> {
    await this.#program?.end(reason);
  }

  received(text: string, message: Message, kind: MessageKind): void {
    if (kind === 'response') this.#answered(text, message);
    else if (kind === 'request') this.#refuse(message);
    else this.#notified(text, message);
  }

  lost(id: unknown, bytes: number): void {
    const initialization = this.#initializations.get(Number(id));
    this.#initializations.delete(Number(id));
    initialization?.owner.lost(JSON.parse(initialization.id), bytes);
  }

  ended(reason: string, wasAsked: boolean): void {
    this.#onEnd();
    for (const owner of [...this.#followed.keys()]) owner.ended(reason, wasAsked);
  }

  #send(owner: ProgramOwner, text: string, message: Message): boolean {
    const { id, method, params } = message;
    if (method === undefined) return true; // An answer, although the bridge has sent no request with this id.
    if (method === 'notifications/initialized') return true;
    if (method === 'initialize') return this.#initialize({ owner, id: toIdKey(id), progressToken: undefined }, message);
    if (id !== undefined) return this.#ask(owner, text, message);
    if (method !== 'notifications/cancelled') return this.#program?.send(text) === true;
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    const key = toIdKey(requestId);
    const [number] =
      [...this.#initializations].find(
        ([, initialization]) => initialization.owner === owner && initialization.id === key,
      ) ?? [];
    return (
      number === undefined || this.#program?.send(withValue(text, ['params', 'requestId'], String(number))) === true
    );
  }

  /** The first session starts the process; all sessions get its answer. */
  #initialize(initialization: PendingInitialization, { params }: Message): boolean {
    if (this.#identity !== undefined) {
      this.#give(initialization, this.#identity);
      return true;
    }
    this.#early.push(initialization);
    if (this.#isOpening) return true;
    this.#isOpening = true;
    const { protocolVersion } = (params ?? {}) as { protocolVersion?: unknown };
    const ours = { protocolVersion, capabilities: {}, clientInfo: { name: 'lintel-bridge', version: VERSION } };
    const text = JSON.stringify({ jsonrpc: '2.0', id: INITIALIZE, method: 'initialize', params: ours });
    return this.#program?.send(text) === true;
  }

  #opened(text: string, message: Message): void {
    const early = this.#early;
    this.#early = [];
    this.#isOpening = false;
    if (message.error === undefined) {
      this.#identity = text;
      this.#program?.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    }
    for (const initialization of early) this.#give(initialization, text);
  }

  #ask(owner: ProgramOwner, text: string, message: Message): boolean {
    const { method, params } = message;
    const { uri } = (params ?? {}) as { uri?: unknown };
    if (method === 'resources/subscribe' && typeof uri === 'string') this.#followed.get(owner)?.add(uri);
    if (method === 'resources/unsubscribe' && typeof uri === 'string') {
      this.#followed.get(owner)?.delete(uri);
      if (this.#isFollowed(uri)) {
        const answer = { jsonrpc: '2.0', id: message.id, result: {} };
        owner.received(JSON.stringify(answer), answer, 'response');
        return true;
      }
    }
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const token = readProgressToken(message);
    const numbered = withValue(text, ['id'], String(number));
    const sent =
      token === undefined ? numbered : withValue(numbered, ['params', '_meta', 'progressToken'], String(number));
    const progressToken = token === undefined ? undefined : toIdKey(token);
    this.#initializations.set(number, { owner, id: toIdKey(message.id), progressToken });
    if (this.#program?.send(sent) === true) return true;
    this.#initializations.delete(number);
    return false;
  }

  #answered(text: string, message: Message): void {
    if (message.id === INITIALIZE) {
      this.#opened(text, message);
      return;
    }
    const initialization = this.#initializations.get(Number(message.id));
    this.#initializations.delete(Number(message.id));
    if (initialization !== undefined) this.#give(initialization, text);
  }

  #give({ owner, id }: PendingInitialization, text: string): void {
    const own = withValue(text, ['id'], id);
    owner.received(own, JSON.parse(own), 'response');
  }

  /** Refuses requests of the program. It was initialized for a client without capabilities, so the bridge answers only `ping`. */
  #refuse({ id, method }: Message): void {
    const answer =
      method === 'ping'
        ? JSON.stringify({ jsonrpc: '2.0', id, result: {} })
        : formatError(
            id,
            METHOD_NOT_FOUND,
            `${String(method)}: this process serves several clients, so requests to clients are not possible`,
          );
    this.#program?.send(answer);
  }

  #notified(text: string, message: Message): void {
    const { method, params } = message;
    if (method === 'notifications/progress') {
      const { owner, progressToken } = this.#initializations.get(Number(readProgressToken(message))) ?? {};
      if (owner === undefined || progressToken === undefined) return;
      const own = withValue(text, ['params', 'progressToken'], progressToken);
      owner.received(own, JSON.parse(own), 'notification');
    } else if (method === 'notifications/resources/updated') {
      const { uri } = (params ?? {}) as { uri?: unknown };
      for (const [owner, uris] of this.#followed)
        if (uris.has(String(uri))) owner.received(text, message, 'notification');
    } else if (method === 'notifications/message') {
      // A log message may be about a request of one session. Then no other session may read it, so it is only sent if all running requests belong to
      // one session.
      const owners = new Set([...this.#initializations.values()].map(({ owner }) => owner));
      const [only] = owners;
      if (owners.size === 1) only?.received(text, message, 'notification');
    } else {
      for (const owner of this.#followed.keys()) owner.received(text, message, 'notification');
    }
  }

  #detach(owner: ProgramOwner): void {
    const uris = this.#followed.get(owner) ?? [];
    this.#followed.delete(owner);
    for (const [number, initialization] of this.#initializations) {
      if (initialization.owner !== owner) continue;
      this.#initializations.delete(number);
      this.#notify('notifications/cancelled', { requestId: number, reason: 'the session has ended' });
    }
    for (const uri of uris) {
      if (this.#isFollowed(uri)) continue;
      this.#lastNumber += 1;
      const request = { jsonrpc: '2.0', id: this.#lastNumber, method: 'resources/unsubscribe', params: { uri } };
      this.#program?.send(JSON.stringify(request));
    }
  }

  #notify(method: string, params: object): void {
    this.#program?.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  #isFollowed(uri: string): boolean {
    return [...this.#followed.values()].some(uris => uris.has(uri));
  }
}

function withValue(text: string, path: readonly string[], json: string): string {
  const span = findSpan(text, path);
  return span === undefined ? text : replaceSpan(text, span, json);
}
