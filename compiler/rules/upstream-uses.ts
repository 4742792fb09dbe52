/** Where a gateway asks for the token of an upstream: in its own strategies and in those of what it refers to. */
import type { MCPExternalAuthConfigSpec, VirtualMCPServerSpec } from '#schemas';
import { workloadsOf } from '../resolve/group-members.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { strategiesOf } from './outgoing-strategies.ts';

export interface UpstreamUse {
  /** `inject` sends the token itself, the others trade it for another one; only `xaa` cannot do without an upstream. */
  readonly kind: 'inject' | 'exchange' | 'xaa';
  /** The upstream that is named; undefined when the choice is left open. */
  readonly upstream: string | undefined;
  /** Where the gateway asks for it. */
  readonly path: Path;
  /** The MCPExternalAuthConfig in which it stands, if it is not the gateway itself, and the name of the member that uses it. */
  readonly via?: { readonly config: string; readonly backend?: string };
}

type Use = Omit<UpstreamUse, 'path' | 'via'> & { readonly field: Path };

/** Every use of an upstream by a gateway, in the order of its spec; those of group members come last. */
export function upstreamUses(gateway: Resource<VirtualMCPServerSpec>, inventory: Inventory): UpstreamUse[] {
  const { outgoingAuth, groupRef } = gateway.spec;
  if (outgoingAuth === undefined) {
    const own = strategiesOf(gateway).flatMap(({ strategy, path }) =>
      usesOf(strategy).map(({ field, ...use }) => ({ ...use, path: [...path, ...field] })),
    );
    const overridden = new Set(Object.keys(gateway.spec.config?.outgoingAuth?.backends ?? {}));
    return [...own, ...memberUses(gateway, inventory, groupRef.name, overridden)];
  }
  const path = ['spec', 'outgoingAuth'];
  const named = [
    ...(outgoingAuth.default ? [[[...path, 'default'], outgoingAuth.default] as const] : []),
    ...Object.entries(outgoingAuth.backends ?? {}).map(
      ([name, entry]) => [[...path, 'backends', name], entry] as const,
    ),
  ];
  const direct = named.flatMap(([at, entry]) => {
    const ref = entry.type === 'externalAuthConfigRef' ? entry.externalAuthConfigRef?.name : undefined;
    return ref === undefined ? [] : configUses(gateway, inventory, ref, [...at, 'externalAuthConfigRef', 'name']);
  });
  const backends = Object.entries(outgoingAuth.backends ?? {});
  const overridden = new Set(backends.filter(([, { type }]) => type !== 'discovered').map(([name]) => name));
  return [...direct, ...memberUses(gateway, inventory, groupRef.name, overridden)];
}

function memberUses(
  gateway: Resource,
  inventory: Inventory,
  group: string,
  overridden: ReadonlySet<string>,
): UpstreamUse[] {
  const members = workloadsOf(inventory, gateway.namespace, group);
  return members.flatMap(({ name: member, spec: { externalAuthConfigRef } }) =>
    externalAuthConfigRef === undefined || overridden.has(member)
      ? []
      : configUses(gateway, inventory, externalAuthConfigRef.name, ['spec', 'groupRef', 'name'], member),
  );
}

function configUses(
  gateway: Resource,
  inventory: Inventory,
  name: string,
  path: Path,
  backend?: string,
): UpstreamUse[] {
  const config = inventory.find<MCPExternalAuthConfigSpec>('MCPExternalAuthConfig', gateway.namespace, name);
  if (config === undefined) return [];
  const via = { config: name, ...(backend === undefined ? {} : { backend }) };
  return usesOf(config.spec).map(({ field: _, ...use }) => ({ ...use, path, via }));
}

/** The blocks of both kinds of strategies that concern upstreams have the same names. */
interface Blocks {
  readonly type: string;
  readonly upstreamInject?: { readonly providerName: string };
  readonly tokenExchange?: { readonly subjectProviderName?: string };
  readonly awsSts?: { readonly subjectProviderName?: string };
  readonly xaa?: { readonly subjectProviderName?: string };
  readonly obo?: { readonly subjectTokenProviderName?: string };
}

function usesOf({ type, upstreamInject, tokenExchange, awsSts, xaa, obo }: Blocks): Use[] {
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
      return use('xaa', xaa?.subjectProviderName, 'xaa', 'subjectProviderName');
    case 'obo':
      return use('exchange', obo?.subjectTokenProviderName, 'obo', 'subjectTokenProviderName');
    default:
      return [];
  }
}
