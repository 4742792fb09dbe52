import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { chooseIncomingAuth } from '../../resolve/choose-incoming-auth.ts';
import type { Inventory, Resource } from '../../resolve/inventory.ts';
import { authorizationPresence } from '../authorization-presence.ts';
import { cedarSyntax } from '../cedar-syntax.ts';
import { policySources } from '../policy-sources.ts';
import { resourceUrl } from '../resource-url.ts';

/** Applies the rules about incoming authentication of a VirtualMCPServer to a server with a gateway of its own. */
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
