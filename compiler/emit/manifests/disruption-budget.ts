import type { Manifest } from './manifest.ts';
import type { DeployedWorkload } from './workload.ts';

/** Several replicas are drained one at a time; a single replica must not block draining a node. */
export function buildDisruptionBudget(workload: DeployedWorkload): Manifest | undefined {
  const { objects, namespace, selector, isScaledOut } = workload;
  if (!isScaledOut) return undefined;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: objects.deployment, namespace, labels: selector },
    spec: { maxUnavailable: 1, selector: { matchLabels: selector } },
  };
}
