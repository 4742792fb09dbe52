/** From a bundle to the objects that run it in a cluster: the table of contents. */
import { type Built, packedBundle } from '../bundle-files.ts';
import { bundleConfigMaps } from './bundle-config-maps.ts';
import { withDefaults } from './defaults/defaults.ts';
import { deployment } from './deployment.ts';
import { disruptionBudget } from './disruption-budget.ts';
import type { Manifest } from './manifest.ts';
import { networkPolicy } from './network-policy.ts';
import { service } from './service.ts';
import { serviceAccount } from './service-account.ts';
import { type ManifestSettings, resolvedSettings } from './settings.ts';
import { workloadOf } from './workload.ts';

/**
 * The objects that run a gateway or registry server, in the order of applying, with every default that the API server would
 * set: what is applied is what is there afterwards. Pure, and the same bundle and settings give equal objects.
 *
 * None for the configuration file of a registry server, which says nothing of a cluster.
 */
export function manifestsOf({ bundle, files = [] }: Built, settings: ManifestSettings = {}): readonly Manifest[] {
  const workload = workloadOf(bundle);
  if (workload === null) return [];
  const { image, networkPolicy: isHeld } = resolvedSettings(settings);
  const { text, digest } = packedBundle(bundle);
  const config = bundleConfigMaps(workload, digest, text, files);
  return [
    serviceAccount(workload),
    ...config.manifests,
    isHeld && workload.networkPolicy ? networkPolicy(workload, bundle) : undefined,
    service(workload),
    disruptionBudget(workload),
    deployment(workload, image, digest, config),
  ]
    .filter(manifest => manifest !== undefined)
    .map(withDefaults);
}
