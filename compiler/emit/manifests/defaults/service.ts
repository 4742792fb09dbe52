import type { Manifest } from '../manifest.ts';
import { change, each, fill, filled } from './fill.ts';

/** Duration of session affinity, in seconds. */
const AFFINITY_SECONDS = 10_800;

export function fillServiceDefaults(service: Manifest): Manifest {
  const { type, sessionAffinity } = service.spec as { readonly type: string; readonly sessionAffinity: string };
  const spec = fill(service.spec, {
    internalTrafficPolicy: 'Cluster',
    ...(sessionAffinity === 'ClientIP'
      ? { sessionAffinityConfig: { clientIP: { timeoutSeconds: AFFINITY_SECONDS } } }
      : {}),
    ...(type === 'ClusterIP' ? {} : { externalTrafficPolicy: 'Cluster' }),
    ...(type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}),
  });
  return { ...service, spec: change(spec, { ports: each(filled({ protocol: 'TCP' })) }) };
}
