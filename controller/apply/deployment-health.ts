/** Evaluates the health of a gateway or registry server from its Deployment and pods. Pure. */
import { DIGEST_ANNOTATION } from '#schemas';
import type { KubeObject } from '../kube/types.ts';
import type { PodReport } from '../pods/index.ts';
import { formatRelease, type Rollout } from '../reconcile/index.ts';

interface DeploymentSpec {
  readonly replicas?: number;
  readonly template?: { readonly metadata?: { readonly annotations?: { readonly [name: string]: string } } };
}

interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
}

type DeploymentHealth = Pick<Rollout, 'state' | 'message'>;

/** Digest of the bundle that new pods of a Deployment run. */
export function getTemplateDigest(deployment: KubeObject): string | undefined {
  return (deployment.spec as DeploymentSpec | undefined)?.template?.metadata?.annotations?.[DIGEST_ANNOTATION];
}

/** Number of characters of the Deployment's hash in `release`: enough to distinguish the few Deployments of one gateway. */
const HASH_CHARACTERS = 12;

/**
 * What runs the bundle, from the image and the hash: the value of `release` in the status.
 * @param hash of the whole desired Deployment
 */
export function readDeploymentRelease(deployment: KubeObject, hash: string): string {
  const { template } = (deployment.spec ?? {}) as { readonly template?: { readonly spec?: PodSpec } };
  const image = template?.spec?.containers?.[0]?.image ?? '';
  return formatRelease(image, hash.slice(hash.indexOf(':') + 1).slice(0, HASH_CHARACTERS));
}

interface PodSpec {
  readonly containers?: readonly { readonly image?: string }[];
}

/**
 * Evaluates the health of a Deployment from its status and its pods.
 * @param digest of the Deployment's template
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#complete-deployment
 */
export function evaluateDeployment(
  digest: string,
  deployment: KubeObject,
  pods: readonly PodReport[],
): DeploymentHealth {
  const refusing = pods.find(pod => pod.templateDigest === digest && pod.refused !== null);
  if (refusing !== undefined) {
    return { state: 'refused', message: `pod ${refusing.name} refuses the bundle: ${refusing.refused}` };
  }
  const spec = (deployment.spec ?? {}) as DeploymentSpec;
  const status = (deployment.status ?? {}) as DeploymentStatus;
  const desired = spec.replicas ?? 1;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  if ((status.observedGeneration ?? 0) < (deployment.metadata.generation ?? 0)) {
    return createProgressingHealth('Kubernetes has not processed the Deployment yet');
  }
  const failure = describeFailures(digest, status, pods);
  if (updatedReplicas < desired)
    return createProgressingHealth(`${updatedReplicas} of ${desired} pods are new${failure}`);
  if (replicas > updatedReplicas) {
    const old = replicas - updatedReplicas;
    const oldPods = old === 1 ? '1 old pod still exists' : `${old} old pods still exist`;
    // Old pods stay until new pods can replace them: the new pods are the cause.
    const unready = describeUnready(digest, status, pods);
    return createProgressingHealth(unready === undefined ? oldPods : `${unready}; ${oldPods}`);
  }
  if (availableReplicas < desired)
    return createProgressingHealth(`${availableReplicas} of ${desired} pods are ready${failure}`);
  if (desired === 0) return { state: 'active', message: 'nothing runs: replicas is 0' };
  return createConfirmedHealth(digest, desired, pods);
}

/** Readiness is not enough: each pod has to report that it serves this digest. */
function createConfirmedHealth(digest: string, desired: number, pods: readonly PodReport[]): DeploymentHealth {
  const ready = pods.filter(pod => pod.isReady);
  const serving = ready.filter(pod => pod.digest === digest);
  const other = ready.find(pod => pod.digest !== digest);
  if (other !== undefined) {
    const detail = other.digest === null ? 'did not report which bundle it serves' : `serves ${other.digest}`;
    return createProgressingHealth(
      `${serving.length} of ${desired} pods serve the bundle; pod ${other.name} ${detail}`,
    );
  }
  if (serving.length < desired) return createProgressingHealth(`${serving.length} of ${desired} pods serve the bundle`);
  return { state: 'active', message: `${serving.length} of ${desired} pods serve the bundle` };
}

function createProgressingHealth(message: string): DeploymentHealth {
  return { state: 'progressing', message };
}

/** Why pods are not created or not ready, according to a pod or the Deployment. */
function describeFailures(digest: string, status: DeploymentStatus, pods: readonly PodReport[]): string {
  const troubled = describeTroubled(digest, pods);
  if (troubled !== undefined) return `; ${troubled}`;
  const message = readFailure(status);
  return message === undefined ? '' : `: ${message}`;
}

/** The first new pod that is not ready, with the reason; undefined when every new pod is ready as far as the controller knows. */
function describeUnready(digest: string, status: DeploymentStatus, pods: readonly PodReport[]): string | undefined {
  const unready = pods.find(pod => pod.templateDigest === digest && !pod.isReady);
  return describeTroubled(digest, pods) ?? readFailure(status) ?? (unready && `pod ${unready.name} is not ready yet`);
}

function describeTroubled(digest: string, pods: readonly PodReport[]): string | undefined {
  const troubled = pods.find(pod => pod.templateDigest === digest && !pod.isReady && pod.problem !== null);
  return troubled && `pod ${troubled.name}: ${troubled.problem}`;
}

function readFailure({ conditions = [] }: DeploymentStatus): string | undefined {
  const condition =
    conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True') ??
    conditions.find(({ type, status }) => type === 'Progressing' && status === 'False');
  return condition?.message;
}
