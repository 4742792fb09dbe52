import type { MCPRegistry, RegistryDeploymentPlan } from '#schemas';
import type { Resource } from '../../resolve/inventory.ts';
import type { Tracked } from '../../resolve/tracked.ts';
import { wantsNetworkPolicy } from '../deployment.ts';

/** Settings of an MCPRegistry for manifests and the controller, passed through. Its configuration is lowered separately. */
export function lowerRegistryDeployment(server: Resource, spec: Tracked<MCPRegistry['spec']>): RegistryDeploymentPlan {
  spec.get('configYAML');
  spec.ignore('pgpassSecretRef', 'this server keeps nothing in a database');
  return {
    displayName: spec.get('displayName') ?? null,
    imagePullSecrets: (spec.get('imagePullSecrets') ?? []).map(secret => ({ name: secret.name ?? '' })),
    podTemplateSpec: spec.get('podTemplateSpec') ?? null,
    networkPolicy: wantsNetworkPolicy(server),
    volumes: spec.get('volumes') ?? [],
    volumeMounts: spec.get('volumeMounts') ?? [],
  };
}
