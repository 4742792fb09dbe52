import type { BackendPlan } from '#schemas';
import type { Compilation } from '../compile/compilation.ts';
import { UsageError } from '../usage-error.ts';

/** The bundle to serve, as `name` or `namespace/name`. At most one of these. */
export interface BundleSelection {
  readonly gateway?: string;
  readonly registry?: string;
}

export interface ChosenBundle {
  readonly kind: 'gateway' | 'registry';
  /** The object of the bundle, as `namespace/name`. */
  readonly name: string;
}

/**
 * The gateway or registry server to serve.
 *
 * @throws UsageError when there is none, or there are several and none is named
 */
export function chooseBundle({ gateways, servers, registries }: Compilation, selection: BundleSelection): ChosenBundle {
  const { gateway, registry } = selection;
  if (gateway !== undefined && registry !== undefined)
    throw new UsageError('--gateway and --registry: choose one, a process serves one of them');
  const all: ChosenBundle[] = [
    ...gateways.map(({ object }) => ({ kind: 'gateway' as const, name: `${object.namespace}/${object.name}` })),
    ...registries.map(({ object }) => ({ kind: 'registry' as const, name: `${object.namespace}/${object.name}` })),
  ];
  if (all.length === 0) {
    const why =
      servers.length === 0
        ? 'there is nothing to serve'
        : 'there is nothing to serve here: a cluster runs their servers, from what `lintel build --manifests` writes';
    throw new UsageError(`the sources describe neither a VirtualMCPServer nor a registry server, so ${why}`);
  }
  const matching = all.filter(bundle => matchesSelection(bundle, selection));
  const [only] = matching;
  if (only === undefined) {
    const missing = gateway === undefined ? `registry server is named "${registry}"` : `gateway is named "${gateway}"`;
    throw new UsageError(`no ${missing}; ${formatChoice(all)}`);
  }
  if (matching.length > 1) throw new UsageError(`${formatBundles(matching)}: ${formatChoice(matching)}`);
  return only;
}

/** The backends of the gateway that is served; a registry server has none. */
export function listBackends({ gateways }: Compilation, { kind, name }: ChosenBundle): readonly BackendPlan[] {
  const chosen = gateways.find(({ object }) => `${object.namespace}/${object.name}` === name);
  return (kind === 'gateway' ? chosen?.bundle?.backends : undefined) ?? [];
}

function matchesSelection({ kind, name }: ChosenBundle, { gateway, registry }: BundleSelection): boolean {
  if (gateway === undefined && registry === undefined) return true;
  const selection = kind === 'gateway' ? gateway : registry;
  return selection !== undefined && (name === selection || name.endsWith(`/${selection}`));
}

function formatBundles(bundles: readonly ChosenBundle[]): string {
  const kinds = new Set(bundles.map(({ kind }) => kind));
  if (kinds.size > 1) return 'gateways and registry servers';
  return kinds.has('gateway') ? 'several gateways' : 'several registry servers';
}

/** The part of a message that names the bundles, such as `choose one with --gateway: default/eng, default/other`. */
function formatChoice(bundles: readonly ChosenBundle[]): string {
  const options = (['gateway', 'registry'] as const).flatMap(kind => {
    const names = bundles.filter(bundle => bundle.kind === kind).map(({ name }) => name);
    return names.length === 0 ? [] : [`--${kind}: ${names.join(', ')}`];
  });
  return `choose one with ${options.join('; or with ')}`;
}
