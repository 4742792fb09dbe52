import type { MCPExternalAuthConfigSpec, MCPServerSpec } from '#schemas';
import { listed } from '../check/describe.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { chosenIncomingAuth } from '../resolve/chosen-incoming-auth.ts';
import { diagnose } from '../resolve/diagnose.ts';
import { membersOf } from '../resolve/group-members.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { gatewaySpec } from './gateway-spec.ts';

type Gateway = NonNullable<ReturnType<typeof gatewaySpec>>;
type Workload = Resource<Pick<MCPServerSpec, 'externalAuthConfigRef'>>;

/** How a backend comes to have no credentials: nobody decided, or somebody did. */
type Without = 'forgotten' | 'decided';

/**
 * Backends to which a gateway sends no credentials: those that its outgoing authentication leaves out, and all of them when
 * callers have to sign in, since what they may do is then decided by the gateway alone.
 */
export function unauthenticatedBackends(resource: Resource, inventory: Inventory): Diagnostic[] {
  const spec = gatewaySpec(resource);
  if (spec === undefined) return [];
  const { servers, proxies, entries } = membersOf(inventory, resource.namespace, spec.groupRef.name);
  const members: readonly Workload[] = [...servers, ...proxies, ...entries];
  const named = (why: Without) =>
    members.filter(member => withoutCredentials(spec, member, inventory) === why).map(({ name }) => name);
  const forgotten = named('forgotten');
  const strategies = strategiesPath(spec);
  if (strategies === undefined || forgotten.length === 0) {
    return behindSignIn(resource, spec, [...forgotten, ...named('decided')]);
  }
  const message = `outgoingAuth names other backends, and neither ${listed(forgotten)} nor a default: no credentials are sent there`;
  const found = diagnose(resource.document, 'LNT6003', strategies, message, { at: 'key' });
  return [found, ...behindSignIn(resource, spec, named('decided'))];
}

/** Where single backends get credentials. Where none does, nobody can have been forgotten. */
function strategiesPath({ outgoingAuth, config }: Gateway): Path | undefined {
  const backends = Object.values((outgoingAuth ?? config?.outgoingAuth)?.backends ?? {});
  if (backends.every(({ type }) => type === 'unauthenticated' || type === 'discovered')) return undefined;
  return ['spec', ...(outgoingAuth === undefined ? ['config'] : []), 'outgoingAuth', 'backends'];
}

function behindSignIn(resource: Resource, spec: Gateway, names: readonly string[]): Diagnostic[] {
  if (chosenIncomingAuth(spec).type !== 'oidc' || names.length === 0) return [];
  const message = `callers sign in, but no credentials are sent to ${listed(names)}: who reaches a backend otherwise may use it as well`;
  return [diagnose(resource.document, 'LNT6004', ['spec', 'groupRef', 'name'], message)];
}

function withoutCredentials(spec: Gateway, member: Workload, inventory: Inventory): Without | undefined {
  const own = member.spec.externalAuthConfigRef?.name;
  if (spec.outgoingAuth !== undefined) {
    const { backends = {}, default: fallback } = spec.outgoingAuth;
    const entry = Object.hasOwn(backends, member.name) ? backends[member.name] : undefined;
    if (entry?.type === 'externalAuthConfigRef') return byConfig(entry.externalAuthConfigRef?.name, member, inventory);
    if (own !== undefined) return byConfig(own, member, inventory);
    if (entry !== undefined) return 'decided';
    if (fallback?.type !== 'externalAuthConfigRef') return fallback === undefined ? 'forgotten' : 'decided';
    return byConfig(fallback.externalAuthConfigRef?.name, member, inventory);
  }
  const { backends = {}, default: fallback } = spec.config?.outgoingAuth ?? {};
  const strategy = Object.hasOwn(backends, member.name) ? backends[member.name] : undefined;
  if (strategy !== undefined) return strategy.type === 'unauthenticated' ? 'decided' : undefined;
  if (own !== undefined) return byConfig(own, member, inventory);
  if (fallback === undefined) return 'forgotten';
  return fallback.type === 'unauthenticated' ? 'decided' : undefined;
}

/** Nothing is known of a config that is not there: that is another rule's finding. */
function byConfig(name: string | undefined, member: Workload, inventory: Inventory): Without | undefined {
  if (name === undefined) return undefined;
  const kind = 'MCPExternalAuthConfig';
  const type = inventory.find<MCPExternalAuthConfigSpec>(kind, member.namespace, name)?.spec.type;
  return type === 'unauthenticated' ? 'decided' : undefined;
}
