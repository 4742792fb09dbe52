import type { MCPRegistry, RegistryDeploymentPlan } from '#schemas';
import type { Tracked } from '../tracked.ts';

/** What manifests and controller need of an MCPRegistry; carried as it is. Its configuration is lowered by itself. */
export function lowerRegistryDeployment(spec: Tracked<MCPRegistry['spec']>): RegistryDeploymentPlan {
  spec.get('configYAML');
  spec.ignore('pgpassSecretRef', 'this server keeps nothing in a database');
  return {
    displayName: spec.get('displayName') ?? null,
    imagePullSecrets: (spec.get('imagePullSecrets') ?? []).map(secret => ({ name: secret.name ?? '' })),
    podTemplateSpec: spec.get('podTemplateSpec') ?? null,
    volumes: spec.get('volumes') ?? [],
    volumeMounts: spec.get('volumeMounts') ?? [],
  };
}
