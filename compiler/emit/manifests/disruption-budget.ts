import type { Manifest } from './manifest.ts';
import type { DeployedWorkload } from './workload.ts';

/** Several replicas are drained one after the other; a single one must not keep a node from being drained. */
export function disruptionBudget(workload: DeployedWorkload): Manifest | undefined {
  const { objects, namespace, selector, isScaledOut } = workload;
  if (!isScaledOut) return undefined;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: objects.deployment, namespace, labels: selector },
    spec: { maxUnavailable: 1, selector: { matchLabels: selector } },
  };
}
