/** Connections of the pods, held to what their bundle names. */
import { compareText, type GatewayBundle, INTERNAL_PORT, type RegistryBundle } from '#schemas';
import { listDestinations } from './destinations.ts';
import { API_SERVER_EGRESS, type Egress, resolveEgress } from './egress.ts';
import type { Fields, Manifest } from './manifest.ts';
import type { DeployedWorkload } from './workload.ts';

/**
 * Names are asked for at port 53, wherever the name service is: in pods, on the node or next to the cluster. OpenShift's pods
 * for it listen on another port.
 */
const NAME_SERVICE: readonly Fields[] = [
  { ports: listPorts([53], ['TCP', 'UDP']) },
  {
    to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'openshift-dns' } } }],
    ports: listPorts([5353], ['TCP', 'UDP']),
  },
];

/**
 * Says nothing of who may connect to the pods: that is for their authentication, and for policies of the cluster. Where a server is in
 * the pod as well, it is reached through its gateway alone.
 */
export function networkPolicy(workload: DeployedWorkload, bundle: GatewayBundle | RegistryBundle): Manifest {
  const { objects, namespace, selector, files, front, kind } = workload;
  const isEgressHeld = front?.isOutgoingOpen !== true;
  const wanted = listDestinations(bundle).flatMap(destination => resolveEgress(destination, namespace) ?? []);
  const all = files.serviceAccountFolders.length === 0 ? wanted : [...wanted, API_SERVER_EGRESS];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: objects.deployment, namespace, labels: selector },
    spec: {
      podSelector: { matchLabels: selector },
      policyTypes: [...(kind === 'server' ? ['Ingress'] : []), ...(isEgressHeld ? ['Egress'] : [])],
      ...(kind === 'server' ? { ingress: [{ ports: listPorts(portsOfGateway(workload), ['TCP']) }] } : {}),
      ...(isEgressHeld ? { egress: [...NAME_SERVICE, ...rules(all)] } : {}),
    },
  };
}

function portsOfGateway({ port, metricsPort }: DeployedWorkload): readonly number[] {
  return [port, INTERNAL_PORT, ...(metricsPort === null ? [] : [metricsPort])];
}

/** One for each set of peers, sorted. */
function rules(wanted: readonly Egress[]): readonly Fields[] {
  return [...Map.groupBy(wanted, ({ to }) => JSON.stringify(to))]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, same]) => {
      const [{ to } = { to: [] }] = same;
      if (same.some(({ ports }) => ports === null)) return { to };
      return {
        to,
        ports: listPorts(
          same.flatMap(({ ports }) => ports ?? []),
          ['TCP'],
        ),
      };
    });
}

function listPorts(ports: readonly number[], protocols: readonly string[]): readonly Fields[] {
  const distinct = [...new Set(ports)].sort((a, b) => a - b);
  return distinct.flatMap(port => protocols.map(protocol => ({ port, protocol })));
}
