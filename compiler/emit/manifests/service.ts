import { buildMetadata, type Manifest } from './manifest.ts';
import type { DeployedWorkload } from './workload.ts';

export function buildService({
  objects,
  namespace,
  selector,
  port,
  servicePort,
  front,
  serviceType,
  sessionAffinity,
}: DeployedWorkload): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: objects.service, namespace, ...buildMetadata(selector, front?.service) },
    spec: {
      type: serviceType,
      selector,
      ports: [{ name: 'http', port: servicePort, targetPort: port }],
      sessionAffinity,
    },
  };
}
