/**
 * Sets the defaults of the API server in advance, so that the applied object equals the stored one and no default looks like a change. Values
 * that only the cluster can choose are omitted (addresses, IP families, node ports).
 */
import type { Manifest } from '../manifest.ts';
import { deploymentDefaults } from './deployment.ts';
import { networkPolicyDefaults } from './network-policy.ts';
import { serviceDefaults } from './service.ts';
import { statefulSetDefaults } from './stateful-set.ts';

export function withDefaults(manifest: Manifest): Manifest {
  switch (manifest.kind) {
    case 'Deployment':
      return deploymentDefaults(manifest);
    case 'NetworkPolicy':
      return networkPolicyDefaults(manifest);
    case 'Service':
      return serviceDefaults(manifest);
    case 'StatefulSet':
      return statefulSetDefaults(manifest);
    default:
      return manifest;
  }
}
