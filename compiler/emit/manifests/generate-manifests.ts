/** Generates the objects that run a bundle in a cluster; reads like a table of contents. */
import { type Built, packBundle } from '../bundle-files.ts';
import { buildBundleConfigMaps } from './bundle-config-maps.ts';
import { withDefaults } from './defaults/defaults.ts';
import { buildDeployment } from './deployment.ts';
import { buildDisruptionBudget } from './disruption-budget.ts';
import type { Manifest } from './manifest.ts';
import { buildNetworkPolicy } from './network-policy.ts';
import { buildService } from './service.ts';
import { buildServiceAccount } from './service-account.ts';
import { type ManifestSettings, type ResolvedSettings, resolveSettings } from './settings.ts';
import { describeWorkload } from './workload.ts';

const KNOWN = new WeakMap<Built['bundle'], { readonly key: string; readonly manifests: readonly Manifest[] }>();

/**
 * The objects that run a gateway or registry server, in the order of applying, with every default that the API server would set, so that
 * the stored object equals the applied one. Results are cached by bundle, because an incremental compiler returns the same bundle for
 * unchanged sources.
 *
 * Empty for a registry server's configuration file, which belongs to no cluster.
 *
 * @param built the bundle, and the files whose digests it contains
 */
export function generateManifests(built: Built, settings: ManifestSettings = {}): readonly Manifest[] {
  const resolved = resolveSettings(settings);
  const key = JSON.stringify(resolved);
  const known = KNOWN.get(built.bundle);
  if (known?.key === key) return known.manifests;
  const manifests = generateWorkload(built, resolved);
  KNOWN.set(built.bundle, { key, manifests });
  return manifests;
}

function generateWorkload({ bundle, files = [] }: Built, settings: ResolvedSettings): readonly Manifest[] {
  const workload = describeWorkload(bundle, settings.denial);
  if (workload === null) return [];
  const { text, digest } = packBundle(bundle);
  const config = buildBundleConfigMaps(workload, digest, text, files);
  return [
    buildServiceAccount(workload),
    ...config.manifests,
    settings.networkPolicy && workload.networkPolicy ? buildNetworkPolicy(workload, bundle) : undefined,
    buildService(workload),
    buildDisruptionBudget(workload),
    buildDeployment(workload, settings, digest, config),
  ]
    .filter(manifest => manifest !== undefined)
    .map(withDefaults);
}
