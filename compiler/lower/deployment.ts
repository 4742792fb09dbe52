import type { DeploymentPlan, VirtualMCPServerSpec } from '#schemas';
import type { Tracked } from './tracked.ts';

/** What manifests and controller need; carried as it is. The defaults are those of the schema, which the API server would have set. */
export function lowerDeployment(
  spec: Tracked<VirtualMCPServerSpec>,
  statusReportingIntervalMs: number,
): DeploymentPlan {
  return {
    replicas: spec.get('replicas') ?? null,
    serviceType: spec.get('serviceType') ?? 'ClusterIP',
    sessionAffinity: spec.get('sessionAffinity') ?? 'ClientIP',
    serviceAccount: spec.get('serviceAccount') ?? null,
    imagePullSecrets: (spec.get('imagePullSecrets') ?? []).map(secret => ({ name: secret.name ?? '' })),
    podTemplateSpec: spec.get('podTemplateSpec') ?? null,
    statusReportingIntervalMs,
  };
}
