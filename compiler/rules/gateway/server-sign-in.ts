import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { chooseIncomingAuth } from '../../resolve/choose-incoming-auth.ts';
import type { Inventory, Resource } from '../../resolve/inventory.ts';
import { authorizationPresence } from '../authorization-presence.ts';
import { cedarSyntax } from '../cedar-syntax.ts';
import { policySources } from '../policy-sources.ts';
import { resourceUrl } from '../resource-url.ts';

/**
 * Applies the rules about incoming authentication of a VirtualMCPServer to a server with a gateway of its own.
 *
 * @holds Other kinds | MCPServer, of `lintel.dev` in a cluster | callers need a token, or the tool lock shows that only read-only tools are
 *   open; policies and `resourceUrl` as in a VirtualMCPServer | LNT4005, LNT4006, LNT5001, LNT5006, LNT2003, LNT6011
 * @for servers
 */
export function serverSignIn({ resource, inventory }: GatewayModel): Diagnostic[] {
  const gateway = { ...resource, kind: 'VirtualMCPServer' };
  const isInConfigMap = chooseIncomingAuth(resource.spec).policies?.type === 'configMap';
  const all = [...RULES, ...(isInConfigMap ? [cedarSyntax] : [])];
  return all.flatMap(rule => rule(gateway, inventory));
}

/** `cedarSyntax` is not listed: it parses the inline policies of a server when it runs on the server itself. */
const RULES: readonly ((resource: Resource, inventory: Inventory) => Diagnostic[])[] = [
  authorizationPresence,
  policySources,
  resourceUrl,
];
