import { getMember } from '#schemas';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { chooseIncomingAuth } from '../../resolve/choose-incoming-auth.ts';
import { anonymousWrites } from './anonymous-writes.ts';

/**
 * Reports a server whose callers need no token. A VirtualMCPServer says explicitly that it is anonymous; a server becomes anonymous by
 * leaving out a field. With a tool lock, the tools of the server decide the severity.
 *
 * @holds Other kinds | MCPServer, of `lintel.dev` in a cluster | callers need a token, or the tool lock shows that only read-only tools are
 *   open; policies and `resourceUrl` as in a VirtualMCPServer | LNT4027 | `servers/`
 * @for servers
 */
export function openServer(gateway: GatewayModel): Diagnostic[] {
  const { resource, backends, isLocked } = gateway;
  const incoming = chooseIncomingAuth(resource.spec);
  if (incoming.type !== 'anonymous') return [];
  // A member of a group is meant to be reached through gateways, and network policies may enforce that.
  const isMember = backends.some(({ origin }) => getMember(origin.resource.spec, 'groupRef') !== undefined);
  if (isLocked) return anonymousWrites(gateway).map(found => (isMember ? { ...found, severity: 'hint' } : found));
  const isOpened = backends.some(({ plan }) => plan.auth.type !== 'unauthenticated');
  const and = isOpened ? ', and their calls carry the credential of externalAuthConfigRef' : '';
  const message = `"${resource.name}" has no oidcConfigRef: its callers need no token${and}`;
  return [diagnose(resource.document, 'LNT4027', [...incoming.path, 'type'], message)];
}
