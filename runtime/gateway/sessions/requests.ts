/** The gateway's answers in a client's session, method by method: lists from the table, and requests with a name relayed to their backend. */
import { isObject } from '#schemas';
import { type ClientTraits, StoredTraits } from '../../mcp/client-traits.ts';
import { type Envelope, spliceString } from '../../mcp/envelope.ts';
import type {
  ClientResponder,
  ClientSession,
  InitializeOutcome,
  InitializeRequest,
  McpHandler,
  MessageContext,
} from '../../mcp/handler.ts';
import { isLogLevel } from '../../mcp/log-levels.ts';
import { listMirroredArguments } from '../../mcp/param-headers.ts';
import type { RequestRecord } from '../../mcp/request-record.ts';
import { getShareKey } from '../../mcp/share-key.ts';
import { withTraceContext } from '../../mcp/trace-context.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import type { SessionFields, SharedSessions } from '../../shared-sessions/store.ts';
import { createCapabilitySet } from '../backends/capability-set.ts';
import { createSender, requireCurrentAuth, type Sender } from '../backends/sender.ts';
import type { Limit } from '../limits/limit.ts';
import { createRejection, formatRejectedResult } from '../limits/rejection.ts';
import type { ItemKind } from '../offers/offered-items.ts';
import { readCursor } from '../offers/prepared-list.ts';
import { mayReceive } from '../routing/access.ts';
import type { LimitedCall } from '../routing/limited-call.ts';
import { getCallerList, LISTS } from '../routing/lists.ts';
import { onlyReads } from '../routing/only-reads.ts';
import { type OptimizerCall, readOptimizerTarget, refuse, takeCall } from '../routing/optimizer-call.ts';
import type { ServedWorkflow } from '../routing/served-workflows.ts';
import { SERVER_CAPABILITIES } from '../routing/server-capabilities.ts';
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
import { toWireError } from '../routing/to-wire-error.ts';
import { findUnavailableMember } from '../routing/unavailable-backends.ts';
import { TASK_STATUS } from '../tasks/session-tasks.ts';
import { findTaskCapability, selectBackendCapabilities } from '../tasks/support.ts';
import { BackendUses } from './backend-uses.ts';
import { GatewaySession } from './client-session.ts';
import { ForwardedResponses } from './forwarded-responses.ts';
import { RelayedCall } from './relayed-call.ts';
import type { SessionsGateway } from './sessions-gateway.ts';
import { type SharedResources, SharedSession } from './shared-session.ts';
import { SharedStreams } from './shared-streams.ts';
import { endOfSubscription, endsSubscription, endsWithConnection, noteSubscription } from './subscriptions.ts';
import { TaskCall } from './task-call.ts';
import { handleTaskRequest } from './task-requests.ts';
import { WaitingSessions } from './waiting-sessions.ts';
import { SessionClient, type SessionClientOptions } from './workflow-client.ts';

type SessionOfGateway = ClientSession<GatewaySession>;

/**
 * The gateway in the form that the client edge uses.
 * @param waiting the waits of all edges of the gateway
 * @param shared where other replicas find the sessions; undefined when there are none, and for sessions that are a connection
 */
export function createRequestHandler(
  gateway: SessionsGateway,
  waiting: WaitingSessions = new WaitingSessions(),
  shared?: SharedSessions,
): McpHandler<GatewaySession> {
  const sharing: SharedResources | undefined = shared && {
    all: shared,
    answers: new ForwardedResponses(shared, gateway.log),
    streams: new SharedStreams(shared),
    uses: new BackendUses(shared),
  };
  return {
    initialize: request => initialize(gateway, waiting, request, shared?.replica),
    restore: (context, fields) => restore(gateway, waiting, context, fields, shared?.replica),
    shared: (session, fields) => session.payload.shared?.apply(fields),
    onReplicaMessage: (session, message) => session.payload.shared?.receive(message),
    onStreamMessage: message => sharing?.streams.receive(message),
    onUseMessage: (message, find) =>
      sharing?.uses.receive(message, (key, reach) => find(key)?.payload.uses(reach) === true),
    opened: session => {
      if (sharing !== undefined) session.payload.shared = new SharedSession(gateway, session, sharing);
      gateway.sessions.add(session);
      const { capabilitySet } = session.payload;
      if (capabilitySet !== undefined) gateway.refreshCapabilitySet(capabilitySet);
      session.payload.opened(json => session.send(json));
    },
    listening: session => {
      session.payload.shared?.knowBackends();
      session.payload.listen();
    },
    closed: (session, isLeft) => {
      gateway.sessions.delete(session);
      session.payload.close(isLeft);
    },
    request: (session, envelope, answer, context) => {
      const sender = createSender(context, gateway.bundle, session.payload.capabilitySet);
      session.payload.sender = sender;
      noteClient(session, context);
      handleRequest(gateway, session, { envelope, answer, sender, record: context.record });
    },
    onlyReads: ({ method, name }) => onlyReads(gateway.table, method, name?.value),
    notification: (session, envelope, context) => {
      noteClient(session, context);
      session.payload.sender = createSender(context, gateway.bundle, session.payload.capabilitySet);
      handleNotification(session.payload, envelope);
    },
    response: (session, envelope, context) => {
      noteClient(session, context);
      session.payload.sender = createSender(context, gateway.bundle, session.payload.capabilitySet);
      const { shared: all } = session.payload;
      if (all?.belongsElsewhere(envelope) === true) all.forwardAnswer(envelope);
      else session.payload.answered(envelope);
    },
  };
}

function noteClient({ payload }: SessionOfGateway, { record }: MessageContext): void {
  if (record !== undefined) record.traits = payload.client;
}

function initialize(
  gateway: SessionsGateway,
  waiting: WaitingSessions,
  { params, protocolVersion, ...context }: InitializeRequest,
  replica: number | undefined,
): InitializeOutcome<GatewaySession> {
  // A session cannot learn of a capability after it was opened. A session that opens before its backends have answered, which `/readyz` reports, has
  // no tasks rather than waiting for the slowest backend.
  const tasks = findTaskCapability(gateway, protocolVersion);
  const serverInfo = { name: gateway.bundle.server.name, version: gateway.version };
  const { capabilities: announced, clientInfo } = params;
  const capabilities = isObject(announced) ? selectBackendCapabilities(announced) : {};
  const traits = { capabilities, clientInfo: isObject(clientInfo) ? clientInfo : undefined };
  return {
    session: createSession(gateway, waiting, context, traits, replica),
    ...(replica === undefined ? {} : { fields: { client: JSON.stringify(traits) } }),
    result: JSON.stringify({ protocolVersion, capabilities: { ...SERVER_CAPABILITIES, tasks }, serverInfo }),
  };
}

function restore(
  gateway: SessionsGateway,
  waiting: WaitingSessions,
  context: MessageContext,
  { client = '{}' }: SessionFields,
  replica: number | undefined,
): GatewaySession {
  const { capabilities = {}, clientInfo } = JSON.parse(client) as Partial<ClientTraits>;
  return createSession(gateway, waiting, context, { capabilities, clientInfo }, replica);
}

/** @param traits the client's announced capabilities: backends may only send requests that these allow */
function createSession(
  gateway: SessionsGateway,
  waiting: WaitingSessions,
  context: MessageContext,
  traits: ClientTraits,
  replica: number | undefined,
): GatewaySession {
  return new GatewaySession(
    new StoredTraits(traits),
    createSender(context, gateway.bundle, createCapabilitySet(traits.capabilities)),
    (caller, notification) => mayReceive(gateway.getAccess(caller), notification),
    { of: getShareKey(context), among: waiting },
    replica,
  );
}

/** One request and its sender: the session may serve another request of its owner by the time that this one is sent. */
interface SessionRequest {
  readonly envelope: Envelope;
  readonly answer: ClientResponder;
  readonly sender: Sender;
  readonly record: RequestRecord | undefined;
}

function handleRequest(gateway: SessionsGateway, session: SessionOfGateway, request: SessionRequest): void {
  const { envelope, answer } = request;
  const list = LISTS.get(envelope.method);
  if (list !== undefined) {
    void answerList(gateway, list, request);
    return;
  }
  switch (envelope.method) {
    case 'ping':
      answer.result('{}');
      return;
    case 'logging/setLevel':
      setLogLevel(session.payload, logLevelIn(envelope), answer);
      return;
  }
  if (handleTaskRequest(session.payload, envelope, answer)) return;
  const { optimizer } = gateway;
  if (optimizer === undefined || envelope.method !== 'tools/call')
    send(gateway, session, readTarget(envelope), request);
  else
    callFound(
      gateway,
      session,
      request,
      takeCall(gateway, optimizer, { ...request, form: 'sessions', common: undefined }),
    );
}

/**
 * Relays the call of the tool that `call_tool` names.
 * @param call the inner call of `call_tool`; undefined for other calls
 */
function callFound(
  gateway: SessionsGateway,
  session: SessionOfGateway,
  request: SessionRequest,
  call: OptimizerCall | undefined,
): void {
  if (call === undefined) return;
  try {
    send(gateway, session, readOptimizerTarget(call), { ...request, envelope: call.envelope });
  } catch (error) {
    refuse(request.answer, error);
  }
}

function send(
  gateway: SessionsGateway,
  session: SessionOfGateway,
  target: RequestTarget,
  request: SessionRequest,
): void {
  const { envelope } = request;
  const isKnown =
    isRoutable(gateway, target, request.sender) || endsSubscription(session.payload, envelope.method, target);
  if (isKnown) relay(gateway, session, target, request);
  else void relayWhenDecided(gateway, session, target, request);
}

/** The level is recorded for all replicas, because the client's next request may reach any of them. */
function setLogLevel(session: GatewaySession, level: string, answer: ClientResponder): void {
  session.setLogLevel(level);
  if (session.shared === undefined) answer.result('{}');
  else void session.shared.noted({ level }).then(() => answer.result('{}'));
}

function handleNotification(session: GatewaySession, envelope: Envelope): void {
  switch (envelope.method) {
    case 'notifications/initialized':
      return;
    case 'notifications/cancelled':
      if (envelope.requestId !== undefined && !session.cancel(envelope.requestId, envelope.text))
        session.shared?.forward('cancelled', envelope);
      return;
    case 'notifications/progress':
      if (session.shared?.forwardProgress(envelope) !== true) session.progressed(envelope);
      return;
    case TASK_STATUS:
      session.taskStatus(envelope);
      return;
    default:
      session.shared?.knowBackends();
      session.broadcast(envelope.text);
  }
}

async function answerList(
  gateway: SessionsGateway,
  kind: ItemKind,
  { envelope, answer, sender }: SessionRequest,
): Promise<void> {
  try {
    const cursor = readCursor(envelope);
    const list = (await getCallerList(gateway, kind, sender)).forSessions;
    const unavailable = findUnavailableMember(gateway, gateway.getAccess(sender.identity));
    // Only the list without additions has its bytes cached, which is the common case.
    answer.result(unavailable === undefined ? list.pageBytes(cursor) : list.page(cursor, `"_meta":{${unavailable}}`));
  } catch (error) {
    answer.error(toWireError(error));
  }
}

/** Relays a request when its destination is known: a backend whose names are not known yet may own the name, or take precedence over others. */
async function relayWhenDecided(
  gateway: SessionsGateway,
  session: SessionOfGateway,
  target: RequestTarget,
  request: SessionRequest,
): Promise<void> {
  const { envelope, answer, sender } = request;
  const known = resolveRoute(gateway, target, sender, answer);
  const refusal = await session.payload.waitFor(envelope.id as string, answer, known);
  if (answer.aborted) return;
  try {
    requireCurrentAuth(sender);
    if (refusal === undefined) relay(gateway, session, target, request);
    else answer.fail(refusal);
  } catch (error) {
    refuse(answer, error);
  }
}

/** Sends a request to the backend of its route under the backend's name; the rest is unchanged. */
function relay(
  gateway: SessionsGateway,
  { payload }: SessionOfGateway,
  target: RequestTarget,
  { envelope, answer, sender, record }: SessionRequest,
): void {
  const { method } = envelope;
  if (!target.isNamed && endsWithConnection(gateway, payload, method, target)) {
    answer.result('{}');
    return;
  }
  const workflow = findWorkflow(gateway, target, envelope, sender, record);
  if (workflow !== undefined) {
    callWorkflow(gateway, payload, workflow, { envelope, answer, sender, record });
    return;
  }
  const destination =
    (target.isNamed ? undefined : endOfSubscription(payload, method, target)) ??
    resolveDestination(gateway, target, envelope, sender, record);
  const request = { envelope, answer, sender, record };
  const limit = target.action === 'call_tool' ? gateway.limits.take(target.member.value, sender.identity) : undefined;
  if (limit === undefined) sendOn(payload, target, destination, request);
  else if (limit instanceof Promise) void sendWhenAllowed(gateway, payload, { target, destination, limit }, request);
  else reject(limit, request);
}

/** Runs a workflow, which costs one token of the rate limits, and none for its steps. */
function callWorkflow(
  gateway: SessionsGateway,
  payload: GatewaySession,
  workflow: ServedWorkflow,
  request: SessionRequest,
): void {
  const { envelope, answer, sender, record } = request;
  const limit = gateway.limits.take(workflow.name, sender.identity);
  const run = async (): Promise<void> => {
    const reached = limit instanceof Promise ? await limit : limit;
    if (answer.aborted) return;
    requireCurrentAuth(sender);
    if (reached !== undefined) {
      reject(reached, request);
      return;
    }
    const { connections, workflows } = gateway;
    const send: SessionClientOptions['send'] = (destination, stepEnvelope, stepAnswer) =>
      sendOn(payload, readTarget(stepEnvelope), destination, {
        envelope: stepEnvelope,
        answer: stepAnswer,
        sender,
        record: undefined,
      });
    const client = new SessionClient({ session: payload, envelope, answer, sender, record, send });
    await workflows.run({ workflow, client, connections });
    // Steps may have opened sessions on connections that a new bundle no longer needs.
    payload.retire(
      [...connections.values()].filter(connection => gateway.connections.get(connection.name) !== connection),
    );
  };
  payload.waitFor(envelope.id as string, answer, run()).catch((error: unknown) => answer.error(toWireError(error)));
}

async function sendWhenAllowed(
  gateway: SessionsGateway,
  session: GatewaySession,
  { target, destination, limit: limitCheck }: LimitedCall,
  request: SessionRequest,
): Promise<void> {
  const { envelope, answer, sender } = request;
  const { bundle } = gateway;
  const limit = await session.waitFor(envelope.id as string, answer, limitCheck);
  if (answer.aborted) return;
  try {
    requireCurrentAuth(sender);
    if (limit !== undefined) reject(limit, request);
    else sendOn(session, target, resolveCurrentDestination(gateway, target, request, { bundle, destination }), request);
  } catch (error) {
    refuse(answer, error);
  }
}

/** A client that requests a task could not use the result of a tool, so it gets an error. */
function reject(limit: Limit, { envelope, answer, record }: SessionRequest): void {
  record?.limited(limit);
  answer.limited?.(`${limit.scope}_${limit.operation}`);
  if (envelope.task === undefined) answer.result(formatRejectedResult(limit));
  else answer.error(createRejection(limit));
}

function sendOn(
  payload: GatewaySession,
  target: RequestTarget,
  destination: Destination,
  { envelope, answer, sender }: SessionRequest,
): void {
  const { id, method } = envelope;
  const { connection, originalName, paramHeaders } = destination;
  if (id === undefined) throw new WireError(WIRE_CODE.internalError, 'internal error');
  if (payload.isClosed) throw new WireError(WIRE_CODE.internalError, 'the session is closed');
  connection.discovery?.refresh(sender);
  if (sender.capabilitySet !== undefined) connection.capabilitySets.refresh(sender.capabilitySet);
  const backend = payload.backend(connection);
  // Arguments are sent as headers only to a stateless backend. Sessions have no such headers, and allow any number.
  const isMirrored = paramHeaders !== undefined && !connection.opensSessions;
  const mirrored = isMirrored ? listMirroredArguments(envelope, paramHeaders) : undefined;
  const isTask = envelope.task !== undefined && method === 'tools/call';
  const call = isTask
    ? new TaskCall(answer, { id, method, session: payload, backend, connection })
    : new RelayedCall(id, answer, { session: payload, backend, connection });
  const sink = target.isNamed ? call : noteSubscription(payload, method, destination, call);
  payload.started(call);
  const { member } = target;
  const named = member.value === originalName ? envelope.text : spliceString(envelope, member, originalName);
  const trace = answer.sentTo?.(toSentRequest(target, destination));
  const traced = trace === undefined ? named : withTraceContext(envelope, named, member, trace);
  // If the bundle forwards the client's `traceparent`, that header has the trace already.
  const headerTrace = sender.passed.traceparent === undefined ? trace : undefined;
  const text = payload.hasTasks ? payload.tasks.messageToBackend(traced, backend) : traced;
  const request = {
    text,
    id,
    method,
    name: originalName,
    paramHeaders: mirrored,
    trace: headerTrace,
    sender,
    signal: answer,
  };
  payload.request(backend, request, sink);
}

/**
 * The level in a `logging/setLevel`.
 * @throws WireError -32602 for anything but the eight levels
 */
function logLevelIn(envelope: Envelope): string {
  const { level } = (envelope.paramsValue() ?? {}) as { level?: unknown };
  if (isLogLevel(level)) return level;
  throw new WireError(WIRE_CODE.invalidParams, 'params.level must be a log level such as "info"');
}
