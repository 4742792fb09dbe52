import type { MCPExternalAuthConfigSpec, MCPServerSpec, VirtualMCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { chooseAuth } from '../resolve/choose-auth.ts';
import { chooseIncomingAuth } from '../resolve/choose-incoming-auth.ts';
import { listGroupMembers } from '../resolve/group-members.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { formatList } from '../text/describe.ts';

type GatewaySpec = VirtualMCPServerSpec;
type MemberWithAuth = Resource<Pick<MCPServerSpec, 'externalAuthConfigRef'>>;

/** Why a backend gets no credential: by default, or by choice. */
type MissingCredentials = 'forgotten' | 'decided';

/**
 * Backends that get no credential from a gateway: those that its outgoing authentication omits; and all of them when callers must sign in,
 * because then only the gateway controls what callers may do.
 *
 * @holds outgoingAuth and config.outgoingAuth | (backends) | each backend has a strategy if other backends are named | LNT6003
 * @holds outgoingAuth and config.outgoingAuth | (backends) | backends get credentials if callers sign in | LNT6004
 */
export function unauthenticatedBackends(resource: Resource, inventory: Inventory): Diagnostic[] {
  if (resource.kind !== 'VirtualMCPServer') return [];
  const gateway = resource as Resource<VirtualMCPServerSpec>;
  const { spec } = gateway;
  const { servers, proxies, entries } = listGroupMembers(inventory, resource.namespace, spec.groupRef.name);
  // Only the bridge that started a stdio server can connect to it.
  const reachable = servers.filter(({ spec: server }) => server.transport !== 'stdio' || server.command === undefined);
  const members: readonly MemberWithAuth[] = [...reachable, ...proxies, ...entries];
  const named = (why: MissingCredentials) =>
    members.filter(member => withoutCredentials(gateway, member, inventory) === why).map(({ name }) => name);
  const forgotten = named('forgotten');
  const strategies = findStrategiesPath(spec);
  if (strategies === undefined || forgotten.length === 0) {
    return checkBehindSignIn(resource, spec, [...forgotten, ...named('decided')]);
  }
  const message = `outgoingAuth names other backends, and neither ${formatList(forgotten)} nor a default: the gateway sends no credentials to these backends`;
  const found = diagnose(resource.document, 'LNT6003', strategies, message, { at: 'key' });
  return [found, ...checkBehindSignIn(resource, spec, named('decided'))];
}

/** The field that gives backends individual credentials. If no backend has one, none was forgotten. */
function findStrategiesPath({ outgoingAuth, config }: GatewaySpec): Path | undefined {
  const backends = Object.values((outgoingAuth ?? config?.outgoingAuth)?.backends ?? {});
  if (backends.every(({ type }) => type === 'unauthenticated' || type === 'discovered')) return undefined;
  return ['spec', ...(outgoingAuth === undefined ? ['config'] : []), 'outgoingAuth', 'backends'];
}

function checkBehindSignIn(resource: Resource, spec: GatewaySpec, names: readonly string[]): Diagnostic[] {
  if (chooseIncomingAuth(spec).type !== 'oidc' || names.length === 0) return [];
  const message = `callers sign in, but the gateway sends no credentials to ${formatList(names)}: any program that can connect to a backend may use it`;
  return [diagnose(resource.document, 'LNT6004', ['spec', 'groupRef', 'name'], message)];
}

function withoutCredentials(
  gateway: Resource<VirtualMCPServerSpec>,
  { name, spec }: MemberWithAuth,
  inventory: Inventory,
): MissingCredentials | undefined {
  const chosen = chooseAuth(gateway, name, spec.externalAuthConfigRef);
  switch (chosen.type) {
    case 'nothing':
      return chosen.decided ? 'decided' : 'forgotten';
    case 'strategy':
      return chosen.strategy.type === 'unauthenticated' ? 'decided' : undefined;
    case 'reference': {
      // Another rule reports a missing config.
      const kind = 'MCPExternalAuthConfig';
      const type = inventory.find<MCPExternalAuthConfigSpec>(kind, gateway.namespace, chosen.name)?.spec.type;
      return type === 'unauthenticated' ? 'decided' : undefined;
    }
    case 'unnamed':
      return undefined;
  }
}
