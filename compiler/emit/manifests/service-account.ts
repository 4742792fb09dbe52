import type { Manifest } from './manifest.ts';
import { listAccountPullSecrets } from './pull-secrets.ts';
import type { DeployedWorkload } from './workload.ts';

/** The service account of the pods, without permissions; undefined when the spec names one. */
export function buildServiceAccount(workload: DeployedWorkload): Manifest | undefined {
  const { objects, namespace, selector } = workload;
  if (workload.serviceAccount !== null) return undefined;
  const imagePullSecrets = listAccountPullSecrets(workload);
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: objects.serviceAccount, namespace, labels: selector },
    automountServiceAccountToken: false,
    ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets }),
  };
}
