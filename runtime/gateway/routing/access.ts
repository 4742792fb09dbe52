/** The only module in which the gateway checks permissions: for every request with a name, every list, and every update. */
import {
  type CedarAction,
  type CedarTarget,
  declaresArgument,
  findAmbiguousArgument,
  listUriVariants,
} from '#shared/plan';
import type { CallerAccess, Decision } from '../../auth/authorization/authorizer.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Envelope } from '../../mcp/envelope.ts';
import { OPEN_BRACE } from '../../mcp/json/characters.ts';
import { iterateMembers } from '../../mcp/json/members.ts';
import type { RequestRecord } from '../../mcp/request-record.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import type { Logger } from '../../observe/log.ts';
import { findDefinition } from './find-definition.ts';
import { readUpdatedResource } from './resource-updates.ts';
import type { Route, RoutingTable } from './table.ts';
import type { RequestTarget } from './targets.ts';

const DENIED: Readonly<Record<CedarAction, string>> = {
  call_tool: 'call denied by authorization policy',
  get_prompt: 'prompt denied by authorization policy',
  read_resource: 'read denied by authorization policy',
};

/** The caller and the action. */
export interface PermissionRequest {
  readonly caller: Identity;
  readonly envelope: Envelope;
  readonly target: RequestTarget;
  readonly route: Pick<Route, 'annotations' | 'isOfTemplate'>;
  /** The table in which the target of the request was found. */
  readonly table: Pick<RoutingTable, 'lists'>;
  readonly log: Logger;
  /** The counter of denials. */
  readonly denials: Denials;
  /** Records the decision; undefined when decisions are not recorded. */
  readonly record: RequestRecord | undefined;
}

/** Counts the denials of policies since the start of the process. */
export type Denials = Record<CedarAction, number>;

/**
 * Permits a request that its caller may make. A name that the caller may not see gets the same answer as one that does not exist, so that the answer
 * does not reveal it; only the log records the denial.
 * @throws WireError `target.unknown()` for a name that the caller does not see; 403 for a call of a visible name; -32602 for arguments that policies
 * could read in another way than the backend
 */
export function requirePermission(access: CallerAccess, request: PermissionRequest): void {
  const { envelope, target, route } = request;
  const { action, member, unknown } = target;
  // A subscription needed the permission to read, so every caller may end it.
  if (access.isUnlimited || envelope.method === 'resources/unsubscribe') return;
  const item = { name: member.value, annotations: route.annotations };
  // Visibility is checked first: an error about arguments would reveal that the tool exists.
  const view = decideReadings(access, action, item, route);
  if (!view.isPermitted) {
    request.record?.decided(view);
    logDenied(request, view);
    throw unknown();
  }
  const isAboutArguments = envelope.method === 'completion/complete'; // The request completes arguments, and calls nothing.
  const decision = isAboutArguments ? view : access.decideCall(action, item, () => readArguments(access, request));
  request.record?.decided(decision);
  if (decision.isPermitted) return;
  logDenied(request, decision);
  throw new WireError(WIRE_CODE.denied, DENIED[action], { httpStatus: 403 });
}

/**
 * Decides about a URI that no list contains: the caller needs permission for every interpretation, since its backend may read another resource
 * than the text names.
 */
function decideReadings(
  access: CallerAccess,
  action: CedarAction,
  item: CedarTarget,
  { isOfTemplate }: Pick<Route, 'isOfTemplate'>,
): Decision {
  const view = access.decideView(action, item);
  if (!view.isPermitted || isOfTemplate !== true) return view;
  for (const name of listUriVariants(item.name)) {
    const other = access.decideView(action, { ...item, name });
    if (!other.isPermitted) return other;
  }
  return view;
}

/** Maximum number of characters of a URI in a log line: callers choose URIs, and may repeat a request. */
const MAX_LOGGED_NAME = 200;

function logDenied(
  { caller, target: { action, member }, log, denials }: PermissionRequest,
  { policies }: Decision,
): void {
  denials[action]++;
  const { issuer, subject } = caller.caller ?? { issuer: null, subject: null };
  const name = member.value.slice(0, MAX_LOGGED_NAME);
  // The list of policies is empty when no policy permits the request.
  log.info({ action, name, issuer, subject, policies }, 'denied by authorization policy');
}

/** Whether a caller may receive a backend's unsolicited notification: updates require permission to read. */
export function mayReceive(access: CallerAccess, notification: Envelope): boolean {
  if (access.isUnlimited) return true;
  const uri = readUpdatedResource(notification);
  return uri === undefined || mayRead(access, uri);
}

export function mayRead(access: CallerAccess, uri: string): boolean {
  return access.isUnlimited || access.maySee('read_resource', { name: uri });
}

/** Does the same as `mayRead` for a notification that belongs to a request. */
export function mayReadBy(access: CallerAccess, uri: string, route: Route | undefined): boolean {
  return access.isUnlimited || decideReadings(access, 'read_resource', { name: uri }, route ?? {}).isPermitted;
}

/** The arguments as policies see them. */
function readArguments(
  { namedArguments }: CallerAccess,
  { envelope, target: { action, member }, table }: PermissionRequest,
): Readonly<Record<string, unknown>> {
  const span = envelope.arguments;
  if (span === undefined || action === 'read_resource') return {};
  if (envelope.text.charCodeAt(span.start) !== OPEN_BRACE) {
    throw new WireError(WIRE_CODE.invalidParams, 'params.arguments must be an object');
  }
  const names = iterateNames(envelope.text, span.start);
  const declares = (name: string) => declaresArgument(action, findDefinition(table, action, member.value), name);
  const problem = findAmbiguousArgument(names, namedArguments, declares);
  if (problem !== undefined) throw new WireError(WIRE_CODE.invalidParams, problem);
  return envelope.valueAt(span) as Readonly<Record<string, unknown>>;
}

function* iterateNames(text: string, start: number): Generator<string, void, undefined> {
  for (const { name } of iterateMembers(text, start)) yield name;
}
