/** Finds where a gateway uses the token of an upstream: in its own strategies and in those of the objects that it refers to. */
import type { MCPExternalAuthConfigSpec, VirtualMCPServerSpec } from '#schemas';
import { chooseAuth } from '../../resolve/choose-auth.ts';
import { listGroupWorkloads } from '../../resolve/group-members.ts';
import type { Inventory, Resource } from '../../resolve/inventory.ts';
import type { Path } from '../../source/source-document.ts';
import { listStrategies } from './outgoing-strategies.ts';

export interface UpstreamUse {
  /** `inject` sends the token itself, the others exchange it for another one; only `xaa` requires an upstream. */
  readonly kind: 'inject' | 'exchange' | 'xaa';
  /** The named upstream; undefined when none is named. */
  readonly upstream: string | undefined;
  /** The path of the use in the gateway. */
  readonly path: Path;
  /**
   * The MCPExternalAuthConfig that uses the token, and the name of the group member that refers to it; undefined for the gateway itself.
   */
  readonly via?: { readonly config: string; readonly backend?: string };
}

type Use = Omit<UpstreamUse, 'path' | 'via'> & { readonly field: Path };

/** Every use of an upstream by a gateway, in spec order, with those of group members last. */
export function upstreamUses(gateway: Resource<VirtualMCPServerSpec>, inventory: Inventory): UpstreamUse[] {
  const authoredUses = listStrategies(gateway).flatMap(({ strategy, path }) =>
    listUses(strategy).map(({ field, ...use }) => ({ ...use, path: [...path, ...field] })),
  );
  const { default: fallback, backends = {} } = gateway.spec.outgoingAuth ?? {};
  const entries = [
    ...(fallback === undefined ? [] : [{ at: ['default'], entry: fallback }]),
    ...Object.entries(backends).map(([name, entry]) => ({ at: ['backends', name], entry })),
  ];
  const referred = entries.flatMap(({ at, entry: { type, externalAuthConfigRef: ref } }) => {
    if (type !== 'externalAuthConfigRef' || ref === undefined) return [];
    return listConfigUses(gateway, inventory, ref.name, [
      'spec',
      'outgoingAuth',
      ...at,
      'externalAuthConfigRef',
      'name',
    ]);
  });
  return [...authoredUses, ...referred, ...listMemberUses(gateway, inventory)];
}

/** The uses by members whose own reference applies. */
function listMemberUses(gateway: Resource<VirtualMCPServerSpec>, inventory: Inventory): UpstreamUse[] {
  const members = listGroupWorkloads(inventory, gateway.namespace, gateway.spec.groupRef.name);
  return members.flatMap(({ name: member, spec: { externalAuthConfigRef } }) => {
    const chosen = chooseAuth(gateway, member, externalAuthConfigRef);
    return chosen.type === 'reference' && chosen.by === 'workload'
      ? listConfigUses(gateway, inventory, chosen.name, ['spec', 'groupRef', 'name'], member)
      : [];
  });
}

function listConfigUses(
  gateway: Resource,
  inventory: Inventory,
  name: string,
  path: Path,
  backend?: string,
): UpstreamUse[] {
  const config = inventory.find<MCPExternalAuthConfigSpec>('MCPExternalAuthConfig', gateway.namespace, name);
  if (config === undefined) return [];
  const via = { config: name, ...(backend === undefined ? {} : { backend }) };
  return listUses(config.spec).map(({ field: _, ...use }) => ({ ...use, path, via }));
}

/** The blocks about upstreams have the same names in `config.outgoingAuth` and in an MCPExternalAuthConfig. */
interface Blocks {
  readonly type: string;
  readonly upstreamInject?: { readonly providerName: string };
  readonly tokenExchange?: { readonly subjectProviderName?: string };
  readonly awsSts?: { readonly subjectProviderName?: string };
  readonly xaa?: { readonly subjectProviderName?: string };
  readonly obo?: { readonly subjectTokenProviderName?: string };
}

function listUses({ type, upstreamInject, tokenExchange, awsSts, xaa, obo }: Blocks): Use[] {
  const use = (kind: Use['kind'], upstream: string | undefined, ...field: string[]): Use[] => [
    { kind, upstream: upstream === '' ? undefined : upstream, field },
  ];
  switch (type) {
    case 'upstreamInject':
    case 'upstream_inject':
      // An empty name means the upstream called "default".
      return upstreamInject === undefined
        ? []
        : use('inject', upstreamInject.providerName || 'default', 'upstreamInject', 'providerName');
    case 'tokenExchange':
    case 'token_exchange':
      return use('exchange', tokenExchange?.subjectProviderName, 'tokenExchange', 'subjectProviderName');
    case 'awsSts':
    case 'aws_sts':
      return use('exchange', awsSts?.subjectProviderName, 'awsSts', 'subjectProviderName');
    case 'xaa':
      // A missing block is reported elsewhere.
      return xaa === undefined ? [] : use('xaa', xaa.subjectProviderName, 'xaa', 'subjectProviderName');
    case 'obo':
      return use('exchange', obo?.subjectTokenProviderName, 'obo', 'subjectTokenProviderName');
    default:
      return [];
  }
}
