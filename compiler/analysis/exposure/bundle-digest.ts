/** Ties an exposure to the bundle that it is about: what was reviewed is what runs. */
import { computeDigest, formatCanonicalJson, type GatewayBundle, type RegistryBundle } from '#schemas';
import { GATEWAY_LEAVES } from './plan/gateway-leaves.ts';
import { type PlanView, planView } from './plan/plan-view.ts';
import { REGISTRY_LEAVES } from './plan/registry-leaves.ts';
import { formatSortedJson } from './plan/sorted-json.ts';

type Bundle = GatewayBundle | RegistryBundle;

/** As `lintel build` writes the bundle. */
export function computeBundleDigest(bundle: Bundle): string {
  return computeDigest(formatCanonicalJson(bundle));
}

/** Whether the plan of an exposure is that of a bundle, which the same version of Lintel made. */
export function isPlanOf(plan: PlanView, bundle: Bundle): boolean {
  const leaves = bundle.kind === 'gateway' ? GATEWAY_LEAVES : REGISTRY_LEAVES;
  return formatSortedJson(planView(bundle, leaves)) === formatSortedJson(plan);
}
