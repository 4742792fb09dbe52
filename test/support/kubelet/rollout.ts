/** Computes how many pods the Deployment controller creates and deletes during a rollout. */
import { createHash } from 'node:crypto';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { canonical, type JsonObject, type JsonValue } from '../kube-api/json.ts';

export const HASH_LABEL = 'pod-template-hash';

interface Spec {
  readonly replicas?: number;
  readonly template: JsonObject;
  readonly strategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };
  };
}

export interface Step {
  readonly create: number;
  readonly remove: readonly KubeObject[];
  /** The hash of the template. */
  readonly hash: string;
}

const specOf = (deployment: KubeObject): Spec => deployment.spec as Spec;

export const wantedReplicas = (deployment: KubeObject): number => specOf(deployment).replicas ?? 1;

export const templateHash = (deployment: KubeObject): string =>
  createHash('sha256')
    .update(canonical(specOf(deployment).template))
    .digest('hex')
    .slice(0, 10);

export function isReady(pod: KubeObject): boolean {
  const { conditions = [] } = (pod.status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** @param pods of the Deployment, without those that are being deleted */
export function nextStep(deployment: KubeObject, pods: readonly KubeObject[]): Step {
  const wanted = wantedReplicas(deployment);
  const { strategy } = specOf(deployment);
  const hash = templateHash(deployment);
  const isNew = (pod: KubeObject) => pod.metadata.labels?.[HASH_LABEL] === hash;
  const fresh = pods.filter(isNew);
  const old = pods.filter(pod => !isNew(pod));
  if (strategy?.type === 'Recreate') {
    return { hash, remove: old, create: old.length > 0 ? 0 : Math.max(0, wanted - fresh.length) };
  }
  const surge = share(strategy?.rollingUpdate?.maxSurge ?? '25%', wanted, Math.ceil);
  const rounded = share(strategy?.rollingUpdate?.maxUnavailable ?? '25%', wanted, Math.floor);
  // If both were 0, no pod could ever be replaced.
  const unavailable = surge === 0 && rounded === 0 ? 1 : rounded;
  const least = wanted - unavailable;
  const unreadyFirst = (a: KubeObject, b: KubeObject) => Number(isReady(a)) - Number(isReady(b));
  const tooMany = fresh.toSorted(unreadyFirst).slice(0, Math.max(0, fresh.length - wanted));
  // Unready old pods are removed as long as enough others are ready or will be.
  const unreadyFresh = fresh.filter(pod => !isReady(pod)).length;
  const spare = Math.max(0, pods.length - least - unreadyFresh);
  const broken = old.filter(pod => !isReady(pod)).slice(0, spare);
  const ready = pods.filter(isReady).length;
  const exchanged = old.filter(isReady).slice(0, Math.max(0, ready - least));
  const room = wanted + surge - (pods.length - broken.length);
  return {
    hash,
    remove: [...tooMany, ...broken, ...exchanged],
    create: Math.max(0, Math.min(wanted - fresh.length, room)),
  };
}

function share(value: number | string, of: number, round: (value: number) => number): number {
  return typeof value === 'number' ? value : round((Number.parseFloat(value) / 100) * of);
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** @param now RFC 3339 */
export function deploymentStatus(deployment: KubeObject, pods: readonly KubeObject[], now: string): JsonObject {
  const wanted = wantedReplicas(deployment);
  const hash = templateHash(deployment);
  const updated = pods.filter(pod => pod.metadata.labels?.[HASH_LABEL] === hash);
  const ready = pods.filter(isReady).length;
  const isDone = updated.filter(isReady).length >= wanted && updated.length === pods.length;
  const before = (deployment.status ?? {}) as { readonly conditions?: readonly Condition[] };
  const condition = (
    type: string,
    status: string,
    reason: string,
    message: string,
  ): { readonly [field: string]: JsonValue } => {
    const last = before.conditions?.find(one => one.type === type && one.status === status);
    const same = last?.reason === reason && last.message === message ? last : undefined;
    return {
      type,
      status,
      reason,
      message,
      lastUpdateTime: (same as { lastUpdateTime?: string } | undefined)?.lastUpdateTime ?? now,
      lastTransitionTime: last?.lastTransitionTime ?? now,
    };
  };
  const isAvailable = ready >= wanted - share('25%', wanted, Math.floor);
  const { name } = deployment.metadata;
  return {
    observedGeneration: deployment.metadata.generation as number,
    replicas: pods.length,
    updatedReplicas: updated.length,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, pods.length - ready, wanted - ready),
    conditions: [
      isAvailable
        ? condition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.')
        : condition(
            'Available',
            'False',
            'MinimumReplicasUnavailable',
            'Deployment does not have minimum availability.',
          ),
      isDone
        ? condition(
            'Progressing',
            'True',
            'NewReplicaSetAvailable',
            `Deployment "${name}" has successfully progressed.`,
          )
        : condition('Progressing', 'True', 'ReplicaSetUpdated', `Deployment "${name}" is progressing.`),
    ],
  };
}
