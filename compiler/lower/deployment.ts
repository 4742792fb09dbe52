import { type DeploymentPlan, NETWORK_POLICY_ANNOTATION, type VirtualMCPServerSpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';
import { readAnnotations } from './workload-metadata.ts';

/** Settings for manifests and the controller, passed through. The defaults are the schema's, as the API server would set them. */
export function lowerDeployment(
  gateway: Resource,
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
    networkPolicy: wantsNetworkPolicy(gateway),
    statusReportingIntervalMs,
  };
}

/** True unless an annotation of the object says `disabled`. */
export function wantsNetworkPolicy(workload: Resource): boolean {
  return readAnnotations(workload)[NETWORK_POLICY_ANNOTATION] !== 'disabled';
}
