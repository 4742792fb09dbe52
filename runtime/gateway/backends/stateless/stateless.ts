/**
 * A backend of the stateless revision, presented as a session. The gateway sends session state with every request, and itself answers requests
 * that exist only in sessions.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */

import { MAY_NEED_INPUT } from '../../../mcp/client-traits.ts';
import { formatIdKey } from '../../../mcp/envelope.ts';
import { findMember, findMessageStart } from '../../../mcp/json/members.ts';
import { STATELESS_REVISION } from '../../../mcp/protocol-revisions.ts';
import type { ResponseSink } from '../../../mcp/response-sink.ts';
import { formatErrorResponse, formatResultResponse, WIRE_CODE, WireError } from '../../../mcp/wire-error.ts';
import type { BackendIdentity, BackendListener, BackendRequest, BackendSession } from '../backend.ts';
import { collect } from '../collect.ts';
import type { BackendContext } from '../context.ts';
import type { EraWatch } from '../era-watch.ts';
import {
  createAborted,
  createConnectionLost,
  createProtocolError,
  createSessionClosed,
  createUnsupportedRevisions,
  isOtherEraStatus,
  WithoutSessionsError,
} from '../failure.ts';
import type { CallOwner } from '../http/post-call/call-owner.ts';
import { PostCall } from '../http/post-call/post-call.ts';
import type { KnownTools } from '../known-tools.ts';
import { findMessageKind } from '../messages/message-kind.ts';
import { isErrorResponse, readErrorCode, readErrorData } from '../messages/response-body.ts';
import { isModernCode, RpcError, readSupportedRevisions, UNSUPPORTED_REVISION } from '../rpc-error.ts';
import { readParam, type SessionReplay } from '../session-replay.ts';
import { discoverRequest, MAX_DISCOVERY_BYTES, readBackendIdentity } from './discover.ts';
import { mayRequireInput } from './input-required.ts';
import { InputRounds, type InputRoundsOptions } from './input-rounds.ts';
import { withNewHeaders } from './refresh-headers.ts';
import { buildCommonHeaders, buildStatelessHeaders } from './request-headers.ts';
import type { InputResponse } from './request-input.ts';
import { buildRequestMeta } from './request-meta.ts';
import type { RequestMeta } from './request-text.ts';
import { Subscriptions } from './subscriptions.ts';

/** What all sessions with a stateless backend share: its latest answer to `server/discover`. */
export interface SharedDiscovery {
  /** The backend's answer to `server/discover`, if it is recent. */
  readonly recentIdentity: BackendIdentity | undefined;
  /** Records the answer for the other sessions. */
  noteIdentity(identity: BackendIdentity): void;
  /** Records that the backend refused the stateless revision. At the next sign of another era, the gateway probes the backend at once. */
  invalidate(): void;
}

export interface StatelessOptions {
  readonly memory: SessionReplay;
  readonly era: SharedDiscovery;
  readonly watch: EraWatch;
}

export class StatelessSession implements BackendSession, CallOwner {
  readonly backend: string;
  readonly sharesOneStream = false;
  readonly #context: BackendContext;
  readonly #options: StatelessOptions;
  readonly #headers: readonly string[];
  readonly #calls: Set<PostCall> = new Set();
  /** Requests that were sent once more, with other headers. */
  readonly #resent: WeakSet<BackendRequest> = new WeakSet();
  /** The receivers of client answers, by the id of the gateway's request. */
  readonly #expected: Map<string, (response: InputResponse) => void> = new Map();
  readonly #rounds: InputRoundsOptions;
  readonly #stop: AbortController = new AbortController();
  #meta: RequestMeta;
  #opening: Promise<BackendIdentity> | undefined;
  #subscriptions: Subscriptions | undefined;

  constructor(context: BackendContext, options: StatelessOptions) {
    this.backend = context.backend;
    this.#context = context;
    this.#options = options;
    this.#headers = buildCommonHeaders(context);
    this.#rounds = {
      backend: context.backend,
      caller: context.caller,
      signal: this.#stop.signal,
      waiting: new Set(),
      expect: (id, onResponse) => this.#expect(id, onResponse),
      send: (attempt, target) => this.#send(attempt, target),
    };
    this.#meta = buildRequestMeta(context, options.memory.logLevel);
  }

  open(): Promise<BackendIdentity> {
    if (this.#stop.signal.aborted) return Promise.reject(createSessionClosed(this.backend));
    const recent = this.#options.era.recentIdentity;
    if (recent !== undefined) return Promise.resolve(recent);
    this.#opening ??= this.#discover().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  request(request: BackendRequest, sink: ResponseSink): void {
    if (this.#stop.signal.aborted) sink.fail(createSessionClosed(this.backend));
    else if (request.isStateless === true) this.#send(request, sink);
    else if (request.isBridged === true) sink.fail(new WithoutSessionsError(this.backend));
    else {
      this.#options.memory.note(request, sink); // The sink of the subscription stream handles refusals of subscriptions itself.
      if (!this.#answeredHere(request, sink)) this.#relay(request, sink);
    }
  }

  get isBusy(): boolean {
    return this.#calls.size > 0 || this.#rounds.waiting.size > 0;
  }

  hasAsked(id: string): boolean {
    return this.#expected.has(id);
  }

  async post(text: string): Promise<void> {
    const kind = findMessageKind(Buffer.from(text));
    if (kind?.type === 'response') this.#expected.get(kind.id)?.(toInputResponse(text));
    else if (kind?.type === 'notification' && kind.method === 'notifications/cancelled') this.#cancel(text);
    // No other notification is sent: the revision has no other notification from clients.
  }

  /** Nothing to do: messages outside of the standing stream belong to a request. */
  receive(): void {}

  listen(listener: BackendListener): void {
    if (this.#stop.signal.aborted) return;
    this.#subscriptions?.close();
    this.#subscriptions = new Subscriptions(this.#context, {
      listener,
      meta: () => this.#meta,
      resources: this.#options.memory.subscriptions,
      onRefused: () => this.#options.watch.suspectMismatch(),
    });
    this.#subscriptions.start();
  }

  unlisten(): void {
    this.#subscriptions?.close();
    this.#subscriptions = undefined;
  }

  subscribedElsewhere(uri: string, isSubscribed: boolean): void {
    this.#options.memory.noteSubscription(uri, isSubscribed);
    void this.#subscriptions?.update();
  }

  async close(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    this.#subscriptions?.close();
    for (const call of [...this.#calls]) call.fail(createSessionClosed(this.backend));
  }

  /** Nothing to do: a stateless backend has no session that could be lost. */
  sessionLost(): void {}

  /** Nothing to do: closing the connection has cancelled the request at the backend. */
  timedOut(): void {}

  refused(_id: string, method: string): void {
    this.#context.log.debug({ backend: this.backend, method }, 'ignored a request that this revision does not have');
  }

  rejected(call: PostCall, status: number, body: Buffer | undefined, deliver: () => void): boolean {
    if (!isOtherEraStatus(status)) return false;
    const code = readErrorCode(body);
    const { tools } = this.#context;
    if (code === WIRE_CODE.headerMismatch && tools !== undefined && this.#mayHaveNewHeaders(call.request)) {
      void this.#sendWithNewHeaders(call, tools, deliver);
      return true;
    }
    if (code === UNSUPPORTED_REVISION) {
      this.#refusedRevision(call, readSupportedRevisions(readErrorData(body)));
      return true;
    }
    if (isModernCode(code) || (status === 404 && code === WIRE_CODE.methodNotFound)) return false;
    if (mayHaveRun(call.request, body, code)) {
      this.#options.watch.suspectMismatch();
      return false;
    }
    this.#options.watch.onEraMismatch(call.request, call.sink, deliver);
    return true;
  }

  /**
   * The sink of an answer that may require inputs. A backend may require inputs, or only time, before it answers, even if the client has announced no
   * support for that.
   */
  createSink({ request, sink }: PostCall, beginning: Buffer, isWhole: boolean): ResponseSink {
    // A stateless client answers `input_required` results itself.
    if (request.isStateless === true || !MAY_NEED_INPUT.has(request.method) || sink instanceof InputRounds) return sink;
    return mayRequireInput(beginning, request.id, isWhole) ? new InputRounds(request, sink, this.#rounds) : sink;
  }

  settled(call: PostCall): void {
    this.#calls.delete(call);
  }

  /**
   * Handles the refusal of a request because of its revision. The backend did not run the request. The error names the gateway's revision and would
   * mislead the client, so it is not forwarded.
   */
  #refusedRevision({ request, sink }: PostCall, supported: readonly string[] | undefined): void {
    if (supported?.includes(STATELESS_REVISION) === true) {
      sink.fail(
        createProtocolError(
          this.backend,
          `refuses revision ${STATELESS_REVISION}, although it lists the revision as supported`,
        ),
      );
      return;
    }
    this.#options.era.invalidate();
    this.#options.watch.onEraMismatch(request, sink, () =>
      sink.fail(createUnsupportedRevisions(this.backend, supported)),
    );
  }

  async #discover(): Promise<BackendIdentity> {
    const request = discoverRequest(this.#meta);
    const limits = { maxBytes: MAX_DISCOVERY_BYTES, signal: this.#stop.signal };
    try {
      const result = await collect(this.backend, request, limits, (sent, sink) => this.#send(sent, sink));
      const identity = readBackendIdentity(result);
      this.#options.era.noteIdentity(identity);
      return identity;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      throw createProtocolError(this.backend, `refused server/discover (JSON-RPC error ${error.code})`);
    }
  }

  #relay(request: BackendRequest, sink: ResponseSink): void {
    this.#send({ ...request, text: this.#meta.addTo(request.text) }, sink);
  }

  #send(request: BackendRequest, sink: ResponseSink): void {
    const call = new PostCall(this.#context, request, sink, this);
    this.#calls.add(call);
    call.send({ id: undefined, headers: buildStatelessHeaders(this.#context, request, this.#headers) });
  }

  /** Whether a refusal may mean that the tool requires other headers: only tools have such headers. */
  #mayHaveNewHeaders(request: BackendRequest): boolean {
    return request.method === 'tools/call' && !this.#resent.has(request);
  }

  /** Sends a call again with the tool's current headers: the backend has refused the call without running it. */
  async #sendWithNewHeaders({ request, sink }: PostCall, tools: KnownTools, deliver: () => void): Promise<void> {
    const resent = await withNewHeaders(request, tools).catch(() => undefined);
    if (resent === undefined || this.#stop.signal.aborted) {
      deliver();
      return;
    }
    this.#resent.add(resent);
    this.#send(resent, sink);
  }

  /** Answers requests that exist only in sessions. Returns false for all other requests. */
  #answeredHere(request: BackendRequest, sink: ResponseSink): boolean {
    switch (request.method) {
      case 'ping':
        answer(sink, formatResultResponse(request.id, '{}'));
        return true;
      case 'logging/setLevel':
        this.#meta = buildRequestMeta(this.#context, this.#options.memory.logLevel);
        answer(sink, formatResultResponse(request.id, '{}'));
        return true;
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        void this.#subscribed(request, sink);
        return true;
      default:
        return false;
    }
  }

  /** Answers a `resources/subscribe` when the backend has acknowledged the subscription: from then on it notifies of changes. */
  async #subscribed(request: BackendRequest, sink: ResponseSink): Promise<void> {
    const uri = readParam(request, 'uri') ?? '';
    const { memory, watch } = this.#options;
    const subscriptions = this.#subscriptions;
    await subscriptions?.update();
    const isUnconditional = request.method === 'resources/unsubscribe' || subscriptions === undefined;
    const isAgreed = isUnconditional || subscriptions.agreesTo(uri);
    const refuse = () => {
      memory.subscriptions.delete(uri);
      const refusal = new WireError(
        WIRE_CODE.methodNotFound,
        'the backend does not send notifications about changes of this resource',
      );
      answer(sink, formatErrorResponse(request.id, refusal));
    };
    if (isAgreed === true) answer(sink, formatResultResponse(request.id, '{}'));
    else if (isAgreed === undefined) {
      // The subscription that may have failed is dropped, so that the others do not miss notifications because of it.
      if (subscriptions?.hasFailed === true) memory.subscriptions.delete(uri);
      sink.fail(createConnectionLost(this.backend));
    }
    // A backend of another era accepts no such stream, but may accept subscriptions.
    else if (subscriptions?.isRefused === true) watch.onEraMismatch(request, sink, refuse);
    else refuse();
  }

  #expect(id: string, onResponse: (response: InputResponse) => void): () => void {
    const key = formatIdKey(id);
    this.#expected.set(key, response => {
      this.#expected.delete(key);
      onResponse(response);
    });
    return () => this.#expected.delete(key);
  }

  #cancel(text: string): void {
    const params = findMember(text, findMessageStart(text), 'params');
    const id = params && findMember(text, params.start, 'requestId');
    if (id === undefined) return;
    const key = formatIdKey(text.slice(id.start, id.end));
    for (const call of [...this.#calls])
      if (formatIdKey(call.request.id) === key) call.fail(createAborted(this.backend));
  }
}

function answer(sink: ResponseSink, text: string): void {
  const body = Buffer.from(text);
  sink.start(body.length);
  sink.data(body);
  sink.end();
}

function toInputResponse(text: string): InputResponse {
  const start = findMessageStart(text);
  const result = findMember(text, start, 'result');
  const error = findMember(text, start, 'error');
  return {
    result: result && text.slice(result.start, result.end),
    error: error && text.slice(error.start, error.end),
  };
}

/** Codes of errors with which a server refuses a request that it could not read, and so has not processed. The id in the answer does not matter. */
const UNREAD: ReadonlySet<unknown> = new Set([WIRE_CODE.invalidRequest, WIRE_CODE.methodNotFound]);

/**
 * Whether the backend may have run the request: an error with the id of the request is an answer to it, so the gateway must not send the request
 * again.
 */
function mayHaveRun({ id }: BackendRequest, body: Buffer | undefined, code: unknown): boolean {
  return body !== undefined && !UNREAD.has(code) && isErrorResponse(body, id);
}
