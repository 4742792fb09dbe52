/**
 * What the API server fills in, filled in beforehand: then what was applied is what is there, and no default is taken for a
 * change. What only a cluster can say is left to it (addresses, IP families, node ports).
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
