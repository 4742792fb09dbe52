/** Ties an exposure to its bundle, so that the bundle that runs is the one that was reviewed. */
import { computeDigest, formatCanonicalJson, type GatewayBundle, type RegistryBundle } from '#schemas';
import { GATEWAY_LEAVES } from './plan/gateway-leaves.ts';
import { type PlanView, planView } from './plan/plan-view.ts';
import { REGISTRY_LEAVES } from './plan/registry-leaves.ts';
import { formatSortedJson } from './plan/sorted-json.ts';

type Bundle = GatewayBundle | RegistryBundle;

/** The digest of the bundle as `lintel build` writes it. */
export function computeBundleDigest(bundle: Bundle): string {
  return computeDigest(formatCanonicalJson(bundle));
}

/** Whether an exposure and a bundle, made by the same version of Lintel, have the same plan. */
export function isPlanOf(plan: PlanView, bundle: Bundle): boolean {
  const leaves = bundle.kind === 'gateway' ? GATEWAY_LEAVES : REGISTRY_LEAVES;
  return formatSortedJson(planView(bundle, leaves)) === formatSortedJson(plan);
}
