/**
 * The differences between the manifests of gateways, of servers behind a gateway and of registry servers, so that no other code has to
 * distinguish these kinds.
 */
import {
  buildObjectNames,
  buildSelectorLabels,
  type FrontDeploymentPlan,
  GATEWAY_PORT,
  type GatewayBundle,
  getWorkloadKind,
  listDenialArguments,
  type ObjectNames,
  type PrivateDenial,
  REGISTRY_PORT,
  type RegistryBundle,
  type WorkloadKind,
} from '#schemas';
import { findAuditFolder } from './audit-folder.ts';
import type { ManifestFields } from './manifest.ts';
import { listMountedFiles, type MountedFiles } from './mounted-files.ts';
import { getContainerName } from './template-container.ts';

export interface DeployedWorkload {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly objects: ObjectNames;
  readonly selector: { readonly [label: string]: string };
  /** Name of the container that `podTemplateSpec` customizes. */
  readonly container: string;
  /** The port on which the pods listen. */
  readonly port: number;
  readonly servicePort: number;
  /** Settings of the MCPServer or MCPRemoteProxy that this gateway serves; null for any other workload. */
  readonly front: FrontDeploymentPlan | null;
  /** Path of the internal address that reports readiness for clients. */
  readonly readinessPath: string;
  readonly replicas: number | null;
  readonly serviceType: 'ClusterIP' | 'NodePort' | 'LoadBalancer';
  readonly sessionAffinity: 'ClientIP' | 'None';
  /** Whether there may be several pods: an autoscaler can add pods if any pod can serve any session. */
  readonly isScaledOut: boolean;
  /** The service account that the spec names; null when Lintel creates one. */
  readonly serviceAccount: string | null;
  readonly imagePullSecrets: readonly { readonly name: string }[];
  readonly podTemplateSpec: ManifestFields | null;
  readonly networkPolicy: boolean;
  /** Further volumes and mounts of the main container, as written. */
  readonly volumes: readonly ManifestFields[];
  readonly volumeMounts: readonly ManifestFields[];
  /** Further arguments of the runtime. */
  readonly args: readonly string[];
  /** Writable folder of the runtime besides /tmp; null for none. */
  readonly stateFolder: string | null;
  /** Folder of the audit log that needs a volume; null when there is none, or the pod template mounts one there. */
  readonly auditFolder: string | null;
  readonly files: MountedFiles;
  /** Port of a separate metrics listener; null for none. */
  readonly metricsPort: number | null;
  /** A bridge starts the server in the pod, and has to be copied there. */
  readonly hasBridge: boolean;
}

/** The folder in which a registry server stores the entries of its last successful read. */
const STATE_FOLDER = '/var/lib/lintel';

/**
 * Null for a registry server's configuration file, which belongs to no cluster.
 *
 * @param denial refuses private addresses
 */
export function describeWorkload(
  bundle: GatewayBundle | RegistryBundle,
  denial: PrivateDenial | undefined,
): DeployedWorkload | null {
  const { namespace, name } = bundle;
  const workload = { kind: getWorkloadKind(bundle), name };
  const common = {
    ...workload,
    namespace,
    objects: buildObjectNames(workload),
    selector: buildSelectorLabels(workload),
  };
  const files = listMountedFiles(bundle);
  if (bundle.kind === 'gateway') {
    const keepsEmbeddings = bundle.optimizer?.embeddings !== undefined;
    return {
      ...common,
      container: getContainerName(bundle),
      port: GATEWAY_PORT,
      readinessPath: '/readyz',
      ...bundle.deployment,
      servicePort: bundle.deployment.front?.servicePort ?? GATEWAY_PORT,
      front: bundle.deployment.front ?? null,
      isScaledOut: (bundle.deployment.replicas ?? 1) > 1 || isElastic(bundle),
      volumes: [],
      volumeMounts: [],
      args: [
        ...(keepsEmbeddings ? ['--state-dir', STATE_FOLDER] : []),
        ...listDenialArguments(allowOwnServer(bundle, denial)),
      ],
      stateFolder: keepsEmbeddings ? STATE_FOLDER : null,
      auditFolder: findAuditFolder(bundle),
      files,
      metricsPort: bundle.telemetry?.metricsPort ?? null,
      hasBridge: bundle.front === 'server' && bundle.backends.some(({ stdio }) => stdio !== undefined),
    };
  }
  if (bundle.deployment === null) return null;
  return {
    ...common,
    container: getContainerName(bundle),
    port: REGISTRY_PORT,
    servicePort: REGISTRY_PORT,
    front: null,
    readinessPath: '/readiness',
    replicas: null,
    serviceType: 'ClusterIP',
    sessionAffinity: 'None',
    isScaledOut: false,
    serviceAccount: null,
    ...bundle.deployment,
    args: ['--state-dir', STATE_FOLDER, ...listDenialArguments(denial)],
    stateFolder: STATE_FOLDER,
    auditFolder: findAuditFolder(bundle),
    files,
    metricsPort: null,
    hasBridge: false,
  };
}

function isElastic({ deployment, sessionStorage }: GatewayBundle): boolean {
  return deployment.replicas === null && sessionStorage !== undefined;
}

/** No spec can name the address of the server that shares the pod with its gateway, so it is always allowed. */
function allowOwnServer({ front }: GatewayBundle, denial: PrivateDenial | undefined): PrivateDenial | undefined {
  if (front !== 'server' || denial === undefined) return denial;
  return { except: [...denial.except, '127.0.0.1'] };
}
