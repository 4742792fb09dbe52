/** What the gateway answers, method by method: lists from the table, everything with a name relayed to its backend. */
import { type Envelope, type StringMember, spliceString } from '../mcp/envelope.ts';
import type { ClientAnswer, ClientSession, InitializeOutcome, InitializeRequest, McpHandler } from '../mcp/handler.ts';
import { WIRE_CODE, WireError } from '../mcp/wire-error.ts';
import { type CapabilityKind, KINDS } from './capabilities.ts';
import { GatewaySession } from './client-session.ts';
import type { Gateway } from './gateway.ts';
import { RelaySink } from './relay-sink.ts';
import type { Route } from './table.ts';

/** What this gateway can do for clients. Every list may change while a session lasts. */
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true },
  completions: {},
};

const LISTS: ReadonlyMap<string, CapabilityKind> = new Map(KINDS.map(({ listMethod, kind }) => [listMethod, kind]));

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
    session: new GatewaySession(),
    result: JSON.stringify({ protocolVersion, capabilities: CAPABILITIES, serverInfo }),
  };
}

function handleRequest(gateway: Gateway, session: Session, envelope: Envelope, answer: ClientAnswer): void {
  const list = LISTS.get(envelope.method);
  if (list !== undefined) {
    void answerList(gateway, list, envelope, answer);
    return;
  }
  switch (envelope.method) {
    case 'ping':
      answer.result('{}');
      return;
    case 'tools/call': {
      const name = required(envelope.name, 'name');
      const route = gateway.table.tools.get(name.value) ?? unknown(`unknown tool "${name.value}"`);
      relay(gateway, session, envelope, route, name, answer);
      return;
    }
    case 'prompts/get': {
      const name = required(envelope.name, 'name');
      const route = gateway.table.prompts.get(name.value) ?? unknown(`unknown prompt "${name.value}"`);
      relay(gateway, session, envelope, route, name, answer);
      return;
    }
    case 'resources/read': {
      const uri = required(envelope.uri, 'uri');
      const route = gateway.table.resource(uri.value) ?? unknownResource(uri.value);
      relay(gateway, session, envelope, route, uri, answer);
      return;
    }
    case 'completion/complete':
      complete(gateway, session, envelope, answer);
      return;
    default:
      throw new WireError(WIRE_CODE.methodNotFound, `method "${envelope.method}" is not supported`);
  }
}

function handleNotification(session: Session, envelope: Envelope): void {
  if (envelope.method !== 'notifications/cancelled' || envelope.requestId === undefined) return;
  // The backend knows the request by the same id, so the notification fits as it is.
  void session.payload.backendOf(envelope.requestId)?.notify(envelope.text);
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
    answer.error(error instanceof WireError ? error : new WireError(WIRE_CODE.internalError, 'internal error'));
  }
}

/** `partialFailureMode: fail`: a list with holes is no answer. Calls to the backends that are there go on. */
function refusePartialList(gateway: Gateway): void {
  if (gateway.bundle.operational.partialFailure !== 'fail') return;
  const missing = [...gateway.connections.values()].filter(({ monitor }) => !monitor.available);
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => `"${name}"`).join(', ');
  throw new WireError(WIRE_CODE.internalError, `unavailable: ${names} (partialFailureMode is fail)`, {
    data: { backends: missing.map(({ name, monitor }) => ({ name, message: monitor.health.message })) },
  });
}

function complete(gateway: Gateway, session: Session, envelope: Envelope, answer: ClientAnswer): void {
  const { ref } = envelope;
  switch (ref?.type?.value) {
    case 'ref/prompt': {
      const name = required(ref.name, 'ref.name');
      const route = gateway.table.prompts.get(name.value) ?? unknown(`unknown prompt "${name.value}"`);
      relay(gateway, session, envelope, route, name, answer);
      return;
    }
    case 'ref/resource': {
      const uri = required(ref.uri, 'ref.uri');
      const route =
        gateway.table.templates.get(uri.value) ?? gateway.table.resource(uri.value) ?? unknownResource(uri.value);
      relay(gateway, session, envelope, route, uri, answer);
      return;
    }
    default:
      throw new WireError(WIRE_CODE.invalidParams, 'ref must be of type "ref/prompt" or "ref/resource"');
  }
}

/** Sends a request to the backend of its route under the name that the backend knows; all else goes as it came. */
function relay(
  gateway: Gateway,
  session: Session,
  envelope: Envelope,
  route: Route,
  member: StringMember,
  answer: ClientAnswer,
): void {
  const connection = gateway.connections.get(route.backend);
  const id = envelope.id;
  if (connection === undefined || id === undefined) throw new WireError(WIRE_CODE.internalError, 'internal error');
  const { monitor } = connection;
  if (!monitor.available) {
    // It may be back already: the sooner it is looked at, the sooner the next call passes.
    void monitor.check();
    throw new WireError(
      WIRE_CODE.internalError,
      monitor.health.message || `backend "${route.backend}" is unavailable`,
      {
        data: { backend: route.backend, reason: monitor.health.reason },
      },
    );
  }
  const backend = session.payload.backend(connection);
  session.payload.started(id, backend);
  const text = member.value === route.originalName ? envelope.text : spliceString(envelope, member, route.originalName);
  const sink = new RelaySink(answer, failure => {
    session.payload.finished(id);
    if (failure?.reason === 'connection_failed') void monitor.check();
  });
  backend.request({ text, id, method: envelope.method, signal: answer.signal }, sink);
}

function required(member: StringMember | undefined, name: string): StringMember {
  if (member !== undefined) return member;
  throw new WireError(WIRE_CODE.invalidParams, `params.${name} is required and must be a string`);
}

function unknown(message: string): never {
  throw new WireError(WIRE_CODE.invalidParams, message);
}

function unknownResource(uri: string): never {
  throw new WireError(WIRE_CODE.resourceNotFound, 'resource not found', { data: { uri } });
}
