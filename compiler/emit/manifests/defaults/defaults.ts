/**
 * Sets the defaults of the API server in advance, so that the applied object equals the stored one and no default looks like a change. Values
 * that only the cluster can choose are omitted (addresses, IP families, node ports).
 */
import type { Manifest } from '../manifest.ts';
import { fillDeploymentDefaults } from './deployment.ts';
import { fillNetworkPolicyDefaults } from './network-policy.ts';
import { fillServiceDefaults } from './service.ts';
import { fillStatefulSetDefaults } from './stateful-set.ts';

export function withDefaults(manifest: Manifest): Manifest {
  switch (manifest.kind) {
    case 'Deployment':
      return fillDeploymentDefaults(manifest);
    case 'NetworkPolicy':
      return fillNetworkPolicyDefaults(manifest);
    case 'Service':
      return fillServiceDefaults(manifest);
    case 'StatefulSet':
      return fillStatefulSetDefaults(manifest);
    default:
      return manifest;
  }
}
