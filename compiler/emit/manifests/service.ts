import type { Manifest } from './manifest.ts';
import type { DeployedWorkload } from './workload.ts';

export function service({
  objects,
  namespace,
  selector,
  port,
  serviceType,
  sessionAffinity,
}: DeployedWorkload): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: objects.service, namespace, labels: selector },
    spec: {
      type: serviceType,
      selector,
      ports: [{ name: 'http', port, targetPort: port }],
      sessionAffinity,
    },
  };
}
