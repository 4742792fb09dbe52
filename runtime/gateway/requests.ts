/** What the gateway answers, method by method: lists from the table, everything with a name relayed to its backend. */
import { OURSELVES } from '../mcp/client-traits.ts';
import { type Envelope, type ReferenceMember, type StringMember, spliceString } from '../mcp/envelope.ts';
import type { ClientAnswer, ClientSession, InitializeOutcome, InitializeRequest, McpHandler } from '../mcp/handler.ts';
import { WIRE_CODE, WireError } from '../mcp/wire-error.ts';
import { type CapabilityKind, KINDS } from './capabilities.ts';
import { GatewaySession } from './client-session.ts';
import type { Gateway } from './gateway.ts';
import { RelaySink } from './relay-sink.ts';
import type { CapabilityTable, Route } from './table.ts';

/** What this gateway can do for clients. Every list may change while a session lasts. */
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true },
  completions: {},
};

export const LISTS: ReadonlyMap<string, CapabilityKind> = new Map(
  KINDS.map(({ listMethod, kind }) => [listMethod, kind]),
);

type Session = ClientSession<GatewaySession>;

/** The gateway as the client edge sees it. */
export function createRequestHandler(gateway: Gateway): McpHandler<GatewaySession> {
  return {
    initialize: request => initialize(gateway, request),
    opened: session => {
      gateway.sessions.add(session);
    },
    closed: session => {
      gateway.sessions.delete(session);
      session.payload.close();
    },
    request: (session, envelope, answer) => handleRequest(gateway, session, envelope, answer),
    notification: (session, envelope) => handleNotification(session, envelope),
    // No request of ours reaches clients yet, so there is nothing that an answer could belong to.
    response: () => {},
  };
}

function initialize(gateway: Gateway, { protocolVersion }: InitializeRequest): InitializeOutcome<GatewaySession> {
  const serverInfo = { name: gateway.bundle.server.name, version: gateway.version };
  return {
    // Until requests of backends are relayed to clients, backends are told that there is nothing to ask for.
    session: new GatewaySession(OURSELVES),
    result: JSON.stringify({ protocolVersion, capabilities: CAPABILITIES, serverInfo }),
  };
}

function handleRequest(gateway: Gateway, session: Session, envelope: Envelope, answer: ClientAnswer): void {
  const list = LISTS.get(envelope.method);
  if (list !== undefined) {
    void answerList(gateway, list, envelope, answer);
    return;
  }
  if (envelope.method === 'ping') {
    answer.result('{}');
    return;
  }
  const target = targetOf(envelope);
  if (gateway.isSettled) relay(gateway, session, envelope, target, answer);
  else void relayWhenSettled(gateway, session, envelope, target, answer);
}

function handleNotification(session: Session, envelope: Envelope): void {
  if (envelope.method !== 'notifications/cancelled' || envelope.requestId === undefined) return;
  const running = session.payload.running(envelope.requestId);
  // The backend knows the request by the same id, so the notification fits as it is.
  void running?.backend.post(envelope.text);
  running?.answer.cancel();
}

async function answerList(
  gateway: Gateway,
  kind: CapabilityKind,
  envelope: Envelope,
  answer: ClientAnswer,
): Promise<void> {
  await gateway.settled();
  try {
    refusePartialList(gateway);
    answer.result(gateway.table.lists[kind].page(envelope.cursor?.value));
  } catch (error) {
    answer.error(wireErrorOf(error));
  }
}

/** Just started: a backend that has not told its names yet may have this one, or have it before the others. */
async function relayWhenSettled(
  gateway: Gateway,
  session: Session,
  envelope: Envelope,
  target: Target,
  answer: ClientAnswer,
): Promise<void> {
  await gateway.settled();
  try {
    relay(gateway, session, envelope, target, answer);
  } catch (error) {
    answer.error(wireErrorOf(error));
  }
}

export function wireErrorOf(error: unknown): WireError {
  return error instanceof WireError ? error : new WireError(WIRE_CODE.internalError, 'internal error');
}

/** `partialFailureMode: fail`: a list with holes is no answer. Calls to the backends that are there go on. */
export function refusePartialList(gateway: Gateway): void {
  if (gateway.bundle.operational.partialFailure !== 'fail') return;
  const missing = [...gateway.connections.values()].filter(({ monitor }) => !monitor.available);
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => `"${name}"`).join(', ');
  throw new WireError(WIRE_CODE.internalError, `unavailable: ${names} (partialFailureMode is fail)`, {
    data: { backends: missing.map(({ name, monitor }) => ({ name, message: monitor.health.message })) },
  });
}

/** What a request is about: the member that names it, and where that name leads. */
interface Target {
  readonly member: StringMember;
  find(table: CapabilityTable): Route | undefined;
  /** What is answered when it leads nowhere. */
  unknown(): WireError;
}

function targetOf(envelope: Envelope): Target {
  switch (envelope.method) {
    case 'tools/call':
      return namedTarget('tool', required(envelope.name, 'name'));
    case 'prompts/get':
      return namedTarget('prompt', required(envelope.name, 'name'));
    case 'resources/read':
      return resourceTarget(required(envelope.uri, 'uri'));
    case 'completion/complete':
      return completionTarget(envelope.ref);
    default:
      throw new WireError(WIRE_CODE.methodNotFound, `method "${envelope.method}" is not supported`);
  }
}

function completionTarget(ref: ReferenceMember | undefined): Target {
  switch (ref?.type?.value) {
    case 'ref/prompt':
      return namedTarget('prompt', required(ref.name, 'ref.name'));
    case 'ref/resource': {
      const target = resourceTarget(required(ref.uri, 'ref.uri'));
      return { ...target, find: table => table.templates.get(target.member.value) ?? target.find(table) };
    }
    default:
      throw new WireError(WIRE_CODE.invalidParams, 'ref must be of type "ref/prompt" or "ref/resource"');
  }
}

function namedTarget(kind: 'tool' | 'prompt', member: StringMember): Target {
  const { value } = member;
  return {
    member,
    find: table => (kind === 'tool' ? table.tools : table.prompts).get(value),
    unknown: () => new WireError(WIRE_CODE.invalidParams, `unknown ${kind} "${value}"`),
  };
}

function resourceTarget(member: StringMember): Target {
  const { value } = member;
  return {
    member,
    find: table => table.resource(value),
    unknown: () => new WireError(WIRE_CODE.resourceNotFound, 'resource not found', { data: { uri: value } }),
  };
}

/** Sends a request to the backend of its route under the name that the backend knows; all else goes as it came. */
function relay(gateway: Gateway, session: Session, envelope: Envelope, target: Target, answer: ClientAnswer): void {
  const route = target.find(gateway.table);
  if (route === undefined) throw target.unknown();
  const connection = gateway.connections.get(route.backend);
  const id = envelope.id;
  if (connection === undefined || id === undefined) throw new WireError(WIRE_CODE.internalError, 'internal error');
  if (session.payload.isClosed) throw new WireError(WIRE_CODE.internalError, 'the session is closed');
  const { monitor } = connection;
  if (!monitor.available) {
    // It may be back already: the sooner it is looked at, the sooner the next call passes.
    monitor.lookSoon();
    throw new WireError(
      WIRE_CODE.internalError,
      monitor.health.message || `backend "${route.backend}" is unavailable`,
      {
        data: { backend: route.backend, reason: monitor.health.reason },
      },
    );
  }
  const backend = session.payload.backend(connection);
  session.payload.started(id, { backend, answer });
  const { member } = target;
  const text = member.value === route.originalName ? envelope.text : spliceString(envelope, member, route.originalName);
  const sink = new RelaySink(answer, {
    ended: failure => {
      session.payload.finished(id);
      if (failure?.reason === 'connection_failed') monitor.lookSoon();
    },
    listChanged: () => monitor.lookSoon(),
  });
  backend.request({ text, id, method: envelope.method, signal: answer.signal }, sink);
}

function required(member: StringMember | undefined, name: string): StringMember {
  if (member !== undefined) return member;
  throw new WireError(WIRE_CODE.invalidParams, `params.${name} is required and must be a string`);
}
