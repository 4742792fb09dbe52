import { getMember } from '#schemas';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { chooseIncomingAuth } from '../../resolve/choose-incoming-auth.ts';
import { anonymousReach } from './anonymous-reach.ts';

/**
 * A server whose callers need no token. The spec of a VirtualMCPServer says that it is anonymous; that of a server says it by leaving a field
 * out. With a tool lock, the tools decide.
 */
export function openServer(gateway: GatewayModel): Diagnostic[] {
  const { resource, backends, isLocked } = gateway;
  const incoming = chooseIncomingAuth(resource.spec);
  if (incoming.type !== 'anonymous') return [];
  // A member of a group is meant to be reached through its gateways, and networks may see to that.
  const isMember = backends.some(({ origin }) => getMember(origin.resource.spec, 'groupRef') !== undefined);
  if (isLocked) return anonymousReach(gateway).map(found => (isMember ? { ...found, severity: 'hint' } : found));
  const isOpened = backends.some(({ plan }) => plan.auth.type !== 'unauthenticated');
  const and = isOpened ? ', and their calls carry the credential of externalAuthConfigRef' : '';
  const message = `"${resource.name}" has no oidcConfigRef: its callers need no token${and}`;
  return [diagnose(resource.document, 'LNT4027', [...incoming.path, 'type'], message)];
}
