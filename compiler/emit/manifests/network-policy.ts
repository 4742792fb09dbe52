/** Restricts the pods' connections to the destinations in their bundle. */
import { compareText, type GatewayBundle, INTERNAL_PORT, type RegistryBundle } from '#schemas';
import { listDestinations } from './destinations.ts';
import { API_SERVER_EGRESS, type Egress, resolveEgress } from './egress.ts';
import type { Manifest, ManifestFields } from './manifest.ts';
import type { DeployedWorkload } from './workload.ts';

/**
 * DNS uses port 53, wherever the name service runs: in pods, on the node or outside of the cluster. OpenShift's DNS pods listen on another port.
 */
const NAME_SERVICE: readonly ManifestFields[] = [
  { ports: listPorts([53], ['TCP', 'UDP']) },
  {
    to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'openshift-dns' } } }],
    ports: listPorts([5353], ['TCP', 'UDP']),
  },
];

/**
 * The NetworkPolicy of a workload. It does not restrict who connects to the gateway: authentication and the cluster's own policies do that. If a pod
 * also contains an MCPServer, connections are only allowed to the ports of the gateway, so that callers cannot pass it by.
 */
export function buildNetworkPolicy(workload: DeployedWorkload, bundle: GatewayBundle | RegistryBundle): Manifest {
  const { objects, namespace, selector, files, front, kind } = workload;
  const isEgressHeld = front?.isOutgoingOpen !== true;
  const egress = listDestinations(bundle).flatMap(destination => resolveEgress(destination, namespace) ?? []);
  const all = files.serviceAccountFolders.length === 0 ? egress : [...egress, API_SERVER_EGRESS];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: objects.deployment, namespace, labels: selector },
    spec: {
      podSelector: { matchLabels: selector },
      policyTypes: [...(kind === 'server' ? ['Ingress'] : []), ...(isEgressHeld ? ['Egress'] : [])],
      ...(kind === 'server' ? { ingress: [{ ports: listPorts(listGatewayPorts(workload), ['TCP']) }] } : {}),
      ...(isEgressHeld ? { egress: [...NAME_SERVICE, ...buildRules(all)] } : {}),
    },
  };
}

function listGatewayPorts({ port, metricsPort }: DeployedWorkload): readonly number[] {
  return [port, INTERNAL_PORT, ...(metricsPort === null ? [] : [metricsPort])];
}

/** One rule per set of peers, sorted. */
function buildRules(egress: readonly Egress[]): readonly ManifestFields[] {
  return [...Map.groupBy(egress, ({ to }) => JSON.stringify(to))]
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

function listPorts(ports: readonly number[], protocols: readonly string[]): readonly ManifestFields[] {
  const distinct = [...new Set(ports)].sort((a, b) => a - b);
  return distinct.flatMap(port => protocols.map(protocol => ({ port, protocol })));
}
