import type { DeploymentPlan, VirtualMCPServerSpec } from '#schemas';
import type { Tracked } from './tracked.ts';

/** What the manifests need; carried as it is. The defaults are the seed's, which the API server would have set. */
export function lowerDeployment(spec: Tracked<VirtualMCPServerSpec>): DeploymentPlan {
  return {
    replicas: spec.get('replicas') ?? null,
    serviceType: spec.get('serviceType') ?? 'ClusterIP',
    sessionAffinity: spec.get('sessionAffinity') ?? 'ClientIP',
    serviceAccount: spec.get('serviceAccount') ?? null,
    imagePullSecrets: (spec.get('imagePullSecrets') ?? []).map(secret => ({ name: secret.name ?? '' })),
    podTemplateSpec: spec.get('podTemplateSpec') ?? null,
  };
}
