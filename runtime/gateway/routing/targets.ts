/** The target of a request: the member with its name, the destination of the name, and whether it is available. */

import type { GatewayBundle } from '#schemas';
import type { CedarAction, ParamHeader } from '#shared/plan';
import type { AbortSource } from '#shared/util';
import type { BackendError } from '../../mcp/backend-error.ts';
import type { Envelope, ReferenceMember, StringMember } from '../../mcp/envelope.ts';
import type { SentRequest } from '../../mcp/handler.ts';
import type { RequestRecord } from '../../mcp/request-record.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import { createCircuitOpen } from '../backends/health/guarded-session.ts';
import type { Sender } from '../backends/sender.ts';
import type { BackendConnection } from '../connections/connection.ts';
import { requirePermission } from './access.ts';
import { isAway, requireEveryBackend } from './partial-failure.ts';
import type { RoutingGateway } from './routing-gateway.ts';
import type { ServedWorkflow } from './served-workflows.ts';
import type { Route, RoutingTable } from './table.ts';
import { findUnlistedRoute } from './unlisted-resources.ts';

export interface RequestTarget {
  readonly member: StringMember;
  /** The name of the action in policies. */
  readonly action: CedarAction;
  /** Whether aggregation assigns the name: that of a tool or a prompt. */
  readonly isNamed: boolean;
  find(table: RoutingTable): Route | undefined;
  /** Finds the destination when no list contains the name. */
  findUnlisted(gateway: RoutingGateway, sender: Sender): Route | undefined;
  /** The error for a name without a destination. */
  unknown(): WireError;
}

/** The destination of a request. */
export interface Destination {
  readonly connection: BackendConnection;
  /** The backend's own name. */
  readonly originalName: string;
  /** Arguments of a tool that its backend requires as headers. */
  readonly paramHeaders: readonly ParamHeader[] | undefined;
}

/**
 * The target of a request that names a tool, a prompt or a resource.
 *
 * @throws WireError -32601 for a method that names nothing, -32602 when the name is missing
 */
export function readTarget(envelope: Envelope): RequestTarget {
  switch (envelope.method) {
    case 'tools/call':
      return readNamedTarget('tool', requireMember(envelope.name, 'name'));
    case 'prompts/get':
      return readNamedTarget('prompt', requireMember(envelope.name, 'name'));
    case 'resources/read':
    case 'resources/unsubscribe':
      return readResourceTarget(requireMember(envelope.uri, 'uri'));
    case 'resources/subscribe': {
      const target = readResourceTarget(requireMember(envelope.uri, 'uri'));
      const { value } = target.member;
      return { ...target, findUnlisted: (gateway, sender) => findUnlistedRoute(gateway, value, sender) };
    }
    case 'completion/complete':
      return readCompletionTarget(envelope.ref);
    default:
      throw new WireError(WIRE_CODE.methodNotFound, `method "${envelope.method}" is not supported`);
  }
}

/** Whether the destination of a target for a caller is known at this time, even if there is none. */
export function isRoutable(gateway: RoutingGateway, target: RequestTarget, sender: Sender): boolean {
  if (!gateway.isSettled) return false;
  return !gateway.discovery.dependsOnSender(sender) || !mustDiscover(gateway, target, sender);
}

/**
 * Whether backends have to be read first: one whose lists for this caller are not known may own the name, or take precedence over the known owners.
 */
function mustDiscover(gateway: RoutingGateway, target: RequestTarget, sender: Sender): boolean {
  const name = target.isNamed ? target.member.value : undefined;
  const undiscovered = gateway.discovery.listUndiscoveredByCaller(sender, name);
  if (undiscovered.some(({ discovery }) => discovery.isDue(sender))) return true;
  if (undiscovered.length === 0 && gateway.discovery.listUndiscoveredByCapabilitySet(sender, name).length === 0)
    return false;
  return target.find(gateway.getTable(sender)) === undefined;
}

/**
 * Resolves when a target's destination is known: it may be unknown after a start, and when only this caller's own lists contain the name. Any backend
 * may own a resource.
 * @param signal aborts when the caller has disconnected or has cancelled the request
 * @returns why it is not known, if a new login of the caller would help
 */
export async function resolveRoute(
  gateway: RoutingGateway,
  target: RequestTarget,
  sender: Sender,
  signal: AbortSource,
): Promise<BackendError | undefined> {
  const { isNamed, member } = target;
  await (isNamed ? gateway.discovery.ownerKnown(member.value) : gateway.settled());
  if (signal.aborted || !mustDiscover(gateway, target, sender)) return undefined;
  const refusals = await gateway.discovery.discover(sender, isNamed ? member.value : undefined);
  if (target.find(gateway.getTable(sender)) !== undefined) return undefined;
  return refusals.find(({ reason }) => reason === 'login_required');
}

/**
 * The destination of a target in the caller's current table.
 * @param record records the destination and the decisions about it
 * @throws WireError for a name without a destination, for a forbidden request, and for an unavailable backend: the owner of the name, or any
 * under `partialFailureMode: fail`
 */
export function resolveDestination(
  gateway: RoutingGateway,
  target: RequestTarget,
  envelope: Envelope,
  sender: Sender,
  record?: RequestRecord,
): Destination {
  const table = gateway.getTable(sender);
  const route = target.find(table) ?? target.findUnlisted(gateway, sender);
  if (route === undefined) throw createRefusal(gateway, target, sender, record);
  const { identity } = sender;
  record?.routed(route.backend, route.originalName);
  requirePermission(gateway.getAccess(identity), {
    caller: identity,
    envelope,
    target,
    route,
    table,
    log: gateway.log,
    denials: gateway.denials,
    record,
  });
  const connection = gateway.connections.get(route.backend);
  if (connection === undefined) throw new WireError(WIRE_CODE.internalError, 'internal error');
  requireEveryBackend(gateway, isAway);
  requireAvailable(connection);
  const { originalName, paramHeaders } = route;
  return { connection, originalName, paramHeaders };
}

/**
 * The workflow that a call names, if any.
 * @throws WireError for a forbidden call, for a task, and while backends that `partialFailureMode: fail` requires are unavailable
 */
export function findWorkflow(
  gateway: RoutingGateway,
  target: RequestTarget,
  envelope: Envelope,
  sender: Sender,
  record?: RequestRecord,
): ServedWorkflow | undefined {
  if (gateway.bundle.workflows === undefined || envelope.method !== 'tools/call') return undefined;
  const table = gateway.getTable(sender);
  const route = target.find(table);
  if (route?.workflow === undefined) return undefined;
  const { identity } = sender;
  const { log, denials } = gateway;
  const request = { caller: identity, envelope, target, route, table, log, denials, record };
  requirePermission(gateway.getAccess(identity), request);
  if (envelope.task !== undefined)
    throw new WireError(WIRE_CODE.methodNotFound, `"${target.member.value}" is a workflow, which cannot be a task`);
  requireEveryBackend(gateway, isAway);
  return route.workflow;
}

const KINDS = { call_tool: 'tool', get_prompt: 'prompt', read_resource: 'resource' } as const satisfies Record<
  CedarAction,
  string
>;

/** Reports the destination of a backend's request to observers. */
export function toSentRequest(
  { action, member }: RequestTarget,
  { connection, originalName }: Destination,
): SentRequest {
  return { backend: connection.name, kind: KINDS[action], name: member.value, originalName };
}

/** A destination that was found before the request had to wait, and the bundle at that time. */
export interface FoundDestination {
  readonly bundle: GatewayBundle;
  readonly destination: Destination;
}

/** A message for its target, its sender, and the record of its destination. */
export interface RelayedMessage {
  readonly envelope: Envelope;
  readonly sender: Sender;
  readonly record: RequestRecord | undefined;
}

/**
 * The same destination while its bundle is served; otherwise the destination in the current bundle.
 * @throws WireError as `resolveDestination`
 */
export function resolveCurrentDestination(
  gateway: RoutingGateway,
  target: RequestTarget,
  { envelope, sender, record }: RelayedMessage,
  { bundle, destination }: FoundDestination,
): Destination {
  if (gateway.bundle !== bundle) return resolveDestination(gateway, target, envelope, sender, record);
  requireAvailable(destination.connection);
  return destination;
}

/**
 * Requires that a backend is available.
 * @throws WireError for an unavailable backend
 */
export function requireAvailable({ name, monitor }: BackendConnection): void {
  if (!monitor.available && !monitor.mayTry) throw createUnavailableError({ name, monitor });
}

function createUnavailableError({ name, monitor }: Pick<BackendConnection, 'name' | 'monitor'>): WireError {
  // The backend may have become available: an early probe lets the next call succeed.
  monitor.probeSoon();
  const { circuit } = monitor;
  if (circuit !== undefined && circuit.state !== 'closed') {
    const { message, reason } = createCircuitOpen(name, circuit);
    return new WireError(WIRE_CODE.internalError, message, { data: { backend: name, reason } });
  }
  const { lastCheck, message, reason } = monitor.health;
  // A backend that has neither answered nor failed until now is too slow.
  const isSilent = lastCheck === null;
  const text = isSilent || message === '' ? `backend "${name}" is unavailable` : message;
  return new WireError(WIRE_CODE.internalError, text, {
    data: { backend: name, reason: isSilent ? 'timeout' : reason },
  });
}

/**
 * Why a request has no destination. An unavailable backend that has given this caller no lists since the start may own the name, so a client
 * should not forget the name. A caller without permission for the name does not learn of the backend.
 */
function createRefusal(
  gateway: RoutingGateway,
  { action, isNamed, member, unknown }: RequestTarget,
  sender: Sender,
  record: RequestRecord | undefined,
): WireError {
  const kind = action === 'call_tool' ? 'tool' : 'prompt';
  const silent = isNamed ? gateway.discovery.findUnavailableOwner(member.value, kind, sender) : undefined;
  if (silent === undefined || !gateway.getAccess(sender.identity).maySee(action, { name: member.value }))
    return unknown();
  record?.concerns(silent.name);
  return createUnavailableError(silent);
}

function readCompletionTarget(ref: ReferenceMember | undefined): RequestTarget {
  switch (ref?.type?.value) {
    case 'ref/prompt':
      return readNamedTarget('prompt', requireMember(ref.name, 'ref.name'));
    case 'ref/resource': {
      const target = readResourceTarget(requireMember(ref.uri, 'ref.uri'));
      const find = (table: RoutingTable) => table.templates.get(target.member.value) ?? target.find(table);
      return { ...target, find };
    }
    default:
      throw new WireError(WIRE_CODE.invalidParams, 'ref must be of type "ref/prompt" or "ref/resource"');
  }
}

function readNamedTarget(kind: 'tool' | 'prompt', member: StringMember): RequestTarget {
  const { value } = member;
  return {
    member,
    action: kind === 'tool' ? 'call_tool' : 'get_prompt',
    isNamed: true,
    find: table => (kind === 'tool' ? table.tools : table.prompts).get(value),
    findUnlisted: nowhere,
    unknown: () => new WireError(WIRE_CODE.invalidParams, `unknown ${kind} "${value}"`),
  };
}

function readResourceTarget(member: StringMember): RequestTarget {
  const { value } = member;
  return {
    member,
    action: 'read_resource',
    isNamed: false,
    find: table => table.resource(value),
    findUnlisted: nowhere,
    unknown: () => new WireError(WIRE_CODE.resourceNotFound, 'resource not found', { data: { uri: value } }),
  };
}

function nowhere(): undefined {}

function requireMember(member: StringMember | undefined, name: string): StringMember {
  if (member !== undefined) return member;
  throw new WireError(WIRE_CODE.invalidParams, `params.${name} is required and must be a string`);
}
