/** The one place where the gateway asks who may do what: every request that names something, every list, every update. */
import type { CedarAction } from '#schemas';
import type { Access } from '../auth/authorization/authorizer.ts';
import type { Envelope } from '../mcp/envelope.ts';
import { membersOf } from '../mcp/json-members.ts';
import { WIRE_CODE, WireError } from '../mcp/wire-error.ts';
import { updatedResource } from './resource-updates.ts';
import type { Route } from './table.ts';
import type { Target } from './targets.ts';

const DENIED: Readonly<Record<CedarAction, string>> = {
  call_tool: 'call denied by authorization policy',
  get_prompt: 'prompt denied by authorization policy',
  read_resource: 'read denied by authorization policy',
};

/**
 * Lets a request through that its caller may make.
 *
 * @throws WireError 403 for any other; -32602 for arguments that policies could read in another way than the backend
 */
export function requirePermission(
  access: Access,
  envelope: Envelope,
  { action, member }: Target,
  { annotations }: Route,
): void {
  // Who is subscribed was permitted to read; leaving is up to everybody.
  if (access.isUnlimited || envelope.method === 'resources/unsubscribe') return;
  const target = { name: member.value, annotations };
  const isPermitted =
    envelope.method === 'completion/complete'
      ? access.maySee(action, target) // The arguments are being found out.
      : access.mayCall(action, target, () => argumentsOf(action, envelope));
  if (!isPermitted) throw new WireError(WIRE_CODE.denied, DENIED[action], { httpStatus: 403 });
}

/** Whether a caller may have a notification that a backend says of its own accord: updates are for those who may read. */
export function mayHear(access: Access, notification: Envelope): boolean {
  if (access.isUnlimited) return true;
  const uri = updatedResource(notification);
  return uri === undefined || mayRead(access, uri);
}

export function mayRead(access: Access, uri: string): boolean {
  return access.isUnlimited || access.maySee('read_resource', { name: uri });
}

/**
 * The arguments as policies see them. JSON lets parsers differ on members that are there twice, and some match names without
 * regard to case: what a policy has not seen must not reach the backend.
 */
function argumentsOf(action: CedarAction, envelope: Envelope): Readonly<Record<string, unknown>> {
  const span = envelope.arguments;
  if (span === undefined || action === 'read_resource') return {};
  const value = envelope.valueAt(span);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new WireError(WIRE_CODE.invalidParams, 'params.arguments must be an object');
  }
  const names = new Set<string>();
  for (const { name } of membersOf(envelope.text, span.start)) {
    const folded = name.toUpperCase().toLowerCase(); // Some letters have an equal only above, such as the long s.
    if (names.has(folded)) {
      throw new WireError(WIRE_CODE.invalidParams, `params.arguments has several members called "${name}"`);
    }
    names.add(folded);
  }
  return value as Readonly<Record<string, unknown>>;
}
