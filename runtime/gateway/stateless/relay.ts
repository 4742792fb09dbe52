/** Requests of stateless clients to backends of either kind. */

import type { BackendError } from '../../mcp/backend-error.ts';
import { type Envelope, type Span, spliceString } from '../../mcp/envelope.ts';
import type { ClientResponder, MessageContext } from '../../mcp/handler.ts';
import { checkParamHeaders, findUnknownParamHeaders, listMirroredArguments } from '../../mcp/param-headers.ts';
import { readProgressTokenAt } from '../../mcp/progress-token.ts';
import { getShareKey } from '../../mcp/share-key.ts';
import type { StatelessCaller } from '../../mcp/stateless/handler.ts';
import { setTraceContext, type TraceContext, withTraceContext } from '../../mcp/trace-context.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import { requireCurrentAuth, type Sender } from '../backends/sender.ts';
import type { SessionUse } from '../connections/caller-sessions.ts';
import type { BackendConnection } from '../connections/connection.ts';
import type { PooledSession } from '../connections/session-pool.ts';
import type { Limit } from '../limits/limit.ts';
import { createRejection } from '../limits/rejection.ts';
import { ForwardedCall, type ForwardedCallOptions } from '../routing/forwarded-call.ts';
import type { LimitedCall } from '../routing/limited-call.ts';
import { type OptimizerCall, readOptimizerTarget, refuse } from '../routing/optimizer-call.ts';
import {
  type Destination,
  findWorkflow,
  isRoutable,
  type RequestTarget,
  readTarget,
  resolveCurrentDestination,
  resolveDestination,
  resolveRoute,
  toSentRequest,
} from '../routing/targets.ts';
import { storeAway, toWireError } from '../routing/to-wire-error.ts';
import { ForwardedTask, isTaskRequest, mayBecomeTask, relayTaskRequest } from '../tasks/extension.ts';
import { digestArguments } from './arguments-digest.ts';
import { BridgedCall, type BridgedCallOptions } from './bridged-call.ts';
import { filterMeta } from './filter-meta.ts';
import { createUnknownState, readInputResponses, readRequestState } from './rounds/input-responses.ts';
import type { CallTraits } from './rounds/next-attempt.ts';
import type { StatelessGateway } from './stateless-gateway.ts';
import { SuspendedCalls } from './suspended-calls.ts';
import { callWorkflow } from './workflow-call.ts';

/** One request and everything that is known about it. */
export interface StatelessRequest {
  readonly caller: StatelessCaller;
  readonly envelope: Envelope;
  readonly answer: ClientResponder;
  readonly context: MessageContext;
  readonly sender: Sender;
  /** The trace context that the gateway forwards to the backend. */
  readonly trace?: TraceContext | undefined;
  /** Whether the request is the call of a workflow's step: the client's HTTP headers for arguments do not apply to it. */
  readonly isStep?: boolean;
  /** For a call through `call_tool`: the members at the front of every result of the gateway, as JSON text without braces. */
  readonly common?: string | undefined;
}

/** How often one request follows a backend that changes between revisions; after that it fails. */
const MAX_CHANGES = 3;

/** The methods of requests that are relayed; in this revision, `subscriptions/listen` takes the place of subscribing. */
const METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read', 'completion/complete']);

/** Relays a request with a name. Throws a WireError for one that cannot be relayed. */
export function relayStateless(
  gateway: StatelessGateway,
  suspendedCalls: SuspendedCalls,
  request: StatelessRequest,
): void {
  const { envelope } = request;
  const { method } = envelope;
  if (isTaskRequest(method)) {
    // The task id of an anonymous caller is not sealed, so there is no seal to open.
    const isSealed = request.sender.identity.caller !== undefined;
    if (gateway.isSettled && (gateway.seals.isShared || !isSealed)) relayTaskRequest(gateway, request);
    else {
      const settled = Promise.all([gateway.settled(), gateway.seals.settled()]).then(() => undefined);
      void relayLater(request, settled, () => relayTaskRequest(gateway, request));
    }
    return;
  }
  if (!METHODS.has(method)) throw new WireError(WIRE_CODE.methodNotFound, `method "${method}" is not supported`);
  relayRoute(gateway, suspendedCalls, readStatelessTarget(envelope), request);
}

/** Relays a call through `call_tool`. */
export function relayOptimizerCall(
  gateway: StatelessGateway,
  suspendedCalls: SuspendedCalls,
  { call, common, ...request }: StatelessRequest & { readonly call: OptimizerCall; readonly common: string },
): void {
  try {
    relayRoute(gateway, suspendedCalls, readOptimizerTarget(call), { ...request, envelope: call.envelope, common });
  } catch (error) {
    refuse(request.answer, error, common);
  }
}

function relayRoute(
  gateway: StatelessGateway,
  suspendedCalls: SuspendedCalls,
  target: RequestTarget,
  request: StatelessRequest,
): void {
  if (isRoutable(gateway, target, request.sender)) send(gateway, suspendedCalls, target, request);
  else {
    // A backend whose names are not known yet may own this name, or take precedence over the known owner.
    const known = resolveRoute(gateway, target, request.sender, request.answer);
    void relayLater(request, known, () => send(gateway, suspendedCalls, target, request));
  }
}

/** @param known resolves with the reason when the request cannot be sent */
async function relayLater(
  { answer, sender, common }: StatelessRequest,
  known: Promise<BackendError | undefined>,
  relay: () => void,
): Promise<void> {
  try {
    const refusal = await known;
    if (answer.aborted) return; // The client has disconnected.
    requireCurrentAuth(sender);
    if (refusal === undefined) relay();
    else answer.fail(refusal);
  } catch (error) {
    refuse(answer, error, common);
  }
}

function send(
  gateway: StatelessGateway,
  suspendedCalls: SuspendedCalls,
  target: RequestTarget,
  request: StatelessRequest,
): void {
  const { envelope, context } = request;
  const workflow = findWorkflow(gateway, target, envelope, request.sender, context.record);
  if (workflow !== undefined) {
    callWorkflow(gateway, workflow, request, {
      sendStep: (destination, step) => {
        const stepTarget = readTarget(step.envelope);
        if (!goesOn(suspendedCalls, stepTarget, step)) sendTo(suspendedCalls, destination, stepTarget, step);
      },
      limited: limit => createLimitError(limit, request),
    });
    return;
  }
  const destination = resolveDestination(gateway, target, envelope, request.sender, context.record);
  // A caller of `call_tool` does not know the tool's headers for arguments, so it need not send them.
  if (destination.paramHeaders !== undefined && request.common === undefined)
    checkParamHeaders(context.http.headers, envelope, destination.paramHeaders);
  destination.connection.discovery?.refresh(request.sender);
  // The request is another attempt at a call that has already taken its token.
  if (goesOn(suspendedCalls, target, request)) return;
  const limit =
    target.action === 'call_tool' ? gateway.limits.take(target.member.value, request.sender.identity) : undefined;
  if (limit === undefined) sendTo(suspendedCalls, destination, target, request);
  else if (limit instanceof Promise)
    void sendWhenAllowed(gateway, suspendedCalls, { target, destination, limit }, request);
  else throw createLimitError(limit, request);
}

function createLimitError(limit: Limit, { answer, context }: StatelessRequest): WireError {
  context.record?.limited(limit);
  answer.limited?.(`${limit.scope}_${limit.operation}`);
  return createRejection(limit);
}

async function sendWhenAllowed(
  gateway: StatelessGateway,
  suspendedCalls: SuspendedCalls,
  { target, destination, limit: limitCheck }: LimitedCall,
  request: StatelessRequest,
): Promise<void> {
  const { envelope, answer, sender, context, common } = request;
  const { record } = context;
  const { bundle } = gateway;
  try {
    const limit = await limitCheck;
    if (answer.aborted) return;
    requireCurrentAuth(sender);
    if (limit !== undefined) throw createLimitError(limit, request);
    sendTo(
      suspendedCalls,
      resolveCurrentDestination(gateway, target, { envelope, sender, record }, { bundle, destination }),
      target,
      request,
    );
  } catch (error) {
    refuse(answer, error, common);
  }
}

function sendTo(
  suspendedCalls: SuspendedCalls,
  destination: Destination,
  target: RequestTarget,
  untraced: StatelessRequest,
): void {
  const trace = untraced.answer.sentTo?.(toSentRequest(target, destination));
  const request = trace === undefined ? untraced : { ...untraced, trace };
  if (destination.connection.isStateless) pass(suspendedCalls, destination, target, request, MAX_CHANGES);
  else bridgeCall(suspendedCalls, destination, target, request, MAX_CHANGES);
}

/** The target of a request. Only earlier revisions have an error code of its own for a missing resource. */
function readStatelessTarget(envelope: Envelope): RequestTarget {
  const target = readTarget(envelope);
  if (target.action !== 'read_resource') return target;
  return {
    ...target,
    unknown: () => {
      const { message, data } = target.unknown();
      return new WireError(WIRE_CODE.invalidParams, message, { data });
    },
  };
}

/** Relays a request to a stateless backend: the backend gets the client's own `_meta`, and the client gets the backend's answer. */
function pass(
  suspendedCalls: SuspendedCalls,
  destination: Destination,
  target: RequestTarget,
  stateless: StatelessRequest,
  changes: number,
): void {
  const { connection, originalName, paramHeaders } = destination;
  const { member } = target;
  const { caller, envelope, answer, context, sender, trace } = stateless;
  const { method, text } = envelope;
  const isTask = mayBecomeTask(connection, method, caller);
  const named = member.value === originalName ? text : spliceString(envelope, member, originalName);
  const request = {
    text: trace === undefined ? named : withTraceContext(envelope, named, member, trace),
    id: envelope.id as string,
    method,
    name: originalName,
    paramHeaders: paramHeaders === undefined ? undefined : listMirroredArguments(envelope, paramHeaders),
    unknownHeaders: stateless.isStep === true ? undefined : findUnknownParamHeaders(context.http, paramHeaders),
    isStateless: true,
    trace: sender.passed.traceparent === undefined ? trace : undefined,
    sender,
    signal: answer,
  };
  const options = new StatelessForwardedCall(suspendedCalls, destination, target, stateless, changes);
  const call = isTask
    ? new ForwardedTask(answer, method, suspendedCalls.seals.get('task ids')[0], options)
    : new ForwardedCall(answer, options);
  options.use.session.request(request, call);
}

/** A request to a stateless backend, which may turn out to have changed to sessions. */
class StatelessForwardedCall implements ForwardedCallOptions {
  readonly connection: BackendConnection;
  readonly sender: Sender;
  readonly use: SessionUse;
  private readonly _suspendedCalls: SuspendedCalls;
  private readonly _destination: Destination;
  private readonly _target: RequestTarget;
  private readonly _request: StatelessRequest;
  private readonly _changes: number;

  constructor(
    suspendedCalls: SuspendedCalls,
    destination: Destination,
    target: RequestTarget,
    request: StatelessRequest,
    changes: number,
  ) {
    this.connection = destination.connection;
    this.sender = request.sender;
    this.use = destination.connection.takeStateless(request.sender);
    this._suspendedCalls = suspendedCalls;
    this._destination = destination;
    this._target = target;
    this._request = request;
    this._changes = changes;
  }

  inSessions(answer: ClientResponder, error: BackendError): void {
    if (this._changes === 0) {
      answer.fail(error);
      return;
    }
    try {
      bridgeCall(this._suspendedCalls, this._destination, this._target, this._request, this._changes - 1);
    } catch (refusal) {
      answer.error(toWireError(refusal));
    }
  }
}

/** Relays a call to a backend that has sessions: the call gets a session of its own, in which its next attempts find it. */
function bridgeCall(
  suspendedCalls: SuspendedCalls,
  destination: Destination,
  target: RequestTarget,
  request: StatelessRequest,
  changes: number,
): void {
  const { envelope } = request;
  if (envelope.requestState !== undefined) throw createUnknownState();
  const { originalName } = destination;
  const call = new BridgedCall(new StatelessBridgedCall(suspendedCalls, destination, target, request, changes));
  const { trace } = request;
  call.send(backendId => formatPayload(envelope, target.member, originalName, backendId, trace), originalName, request);
}

/** A request to a backend with sessions, which may turn out to have become stateless. */
class StatelessBridgedCall implements BridgedCallOptions {
  readonly owner: string;
  readonly method: string;
  readonly name: string;
  readonly connection: BackendConnection;
  readonly lease: PooledSession;
  readonly suspendedCalls: SuspendedCalls;
  private readonly _destination: Destination;
  private readonly _target: RequestTarget;
  private _request: StatelessRequest | undefined;
  private readonly _changes: number;

  constructor(
    suspendedCalls: SuspendedCalls,
    destination: Destination,
    target: RequestTarget,
    request: StatelessRequest,
    changes: number,
  ) {
    const { caller, envelope, sender } = request;
    const { connection } = destination;
    this.owner = sender.identity.key;
    this.method = envelope.method;
    this.name = target.member.value;
    this.connection = connection;
    this.lease = connection.leases.take(caller, sender);
    this.suspendedCalls = suspendedCalls;
    this._destination = destination;
    this._target = target;
    this._request = request;
    this._changes = changes;
  }

  withoutSessions(answer: ClientResponder, error: BackendError): void {
    if (this._changes === 0 || this._request === undefined) {
      answer.fail(error);
      return;
    }
    try {
      pass(this.suspendedCalls, this._destination, this._target, this._request, this._changes - 1);
    } catch (refusal) {
      answer.error(toWireError(refusal));
    }
  }

  /** Only a digest of the message is stored while people answer, because the message can be large. */
  takeAbout(): string {
    const about = this._request === undefined ? '' : digestArguments(this._request.envelope.text);
    this._request = undefined;
    return about;
  }
}

/**
 * Continues the call that waits at a backend for this attempt, even if the backend supports another revision now. Returns false when the request
 * belongs to no such call.
 */
function goesOn(suspendedCalls: SuspendedCalls, { member }: RequestTarget, request: StatelessRequest): boolean {
  const { envelope, sender } = request;
  const { requestState: span, params } = envelope;
  if (span === undefined || params === undefined) return false;
  const state = readRequestState(envelope);
  if (state === undefined || !SuspendedCalls.isSuspended(state)) return false;
  const responses = readInputResponses(envelope.text, params);
  const owner = sender.identity.key;
  const about = digestArguments(envelope.text);
  const traits: CallTraits = { method: envelope.method, name: member.value, owner, about };
  goOn(suspendedCalls, { state, traits, responses }, request).catch((error: unknown) =>
    refuse(request.answer, error, request.common),
  );
  return true;
}

/** The members of a request by which a client returns with answers. */
interface Round {
  readonly state: string;
  readonly traits: CallTraits;
  readonly responses: ReadonlyMap<string, string>;
}

async function goOn(
  suspendedCalls: SuspendedCalls,
  { state, traits, responses }: Round,
  { caller, envelope, answer, context, sender }: StatelessRequest,
): Promise<void> {
  const { seals, rounds } = suspendedCalls;
  let location = suspendedCalls.locate(state, traits);
  if (location === undefined && !seals.isShared) {
    await seals.settled();
    if (answer.aborted) return; // The client has disconnected.
    requireCurrentAuth(sender);
    location = suspendedCalls.locate(state, traits);
  }
  if (location === undefined) throw seals.isShared ? createUnknownState() : storeAway();
  const id = envelope.id as string;
  const progressToken = readProgressToken(envelope);
  const share = getShareKey(context);
  const { replica, secret } = location;
  if (suspendedCalls.isHere(location)) {
    const call = suspendedCalls.take(secret, traits);
    if (call === undefined) throw createUnknownState();
    call.resume({ caller, id, progressToken, answer, share, responses, sender });
    return;
  }
  const { protocolVersion, capabilitiesText, logLevel } = caller;
  const callerTraits = { protocolVersion, capabilitiesText, logLevel };
  const round = { secret, traits, id, progressToken, caller: callerTraits, responses: [...responses], share };
  await rounds?.goOn(replica, round, answer, () => suspendedCalls.onlyReads(traits));
}

/** The progress token of a request, as JSON text. */
function readProgressToken({ meta }: Envelope): string | undefined {
  return meta?.content.text.startsWith('{') === true ? readProgressTokenAt(meta.content.text, 0) : undefined;
}

/** A text that replaces a part of the message. */
interface Edit {
  readonly span: Span;
  readonly json: string;
}

/** The message for a backend with sessions: the backend's id and name, and only those members of `_meta` that have a meaning there. */
function formatPayload(
  envelope: Envelope,
  member: RequestTarget['member'],
  originalName: string,
  id: string,
  trace: TraceContext | undefined,
): string {
  const { text, idSpan, meta } = envelope;
  const edits: Edit[] = [];
  if (idSpan !== undefined) edits.push({ span: idSpan, json: id });
  if (member.value !== originalName) insertInOrder(edits, { span: member, json: JSON.stringify(originalName) });
  if (meta !== undefined) {
    const filteredMeta = filterMeta(meta.content);
    insertInOrder(edits, {
      span: meta,
      json: trace === undefined ? filteredMeta : setTraceContext(filteredMeta, trace),
    });
  }
  let edited = '';
  let at = 0;
  for (const { span, json } of edits) {
    edited += text.slice(at, span.start) + json;
    at = span.end;
  }
  return edited + text.slice(at);
}

/** Inserts an edit at its position: members may have any order. With at most three edits, sorting an array takes longer than all the rest. */
function insertInOrder(edits: Edit[], edit: Edit): void {
  let at = edits.length;
  for (
    let before = edits[at - 1];
    before !== undefined && before.span.start > edit.span.start;
    before = edits[at - 1]
  ) {
    edits[at--] = before;
  }
  edits[at] = edit;
}
