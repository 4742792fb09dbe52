/** The status of an EmbeddingServer that a source applied: the state of its pods. */
import { type EmbeddingServerStatus, formatEmbeddingServerUrl } from '#schemas';
import type { FoundDiagnostic } from '../compile/index.ts';
import type { KubeObject } from '../kube/types.ts';
import { removeConditions, setCondition } from './conditions.ts';
import { formatDiagnostics } from './diagnostics-text.ts';

/** All condition types that the controller sets. */
export const EMBEDDING_CONDITIONS: readonly string[] = ['ModelReady', 'PodTemplateValid'];

export interface EmbeddingStatusInput {
  /** The EmbeddingServer as the cluster has it. */
  readonly server: KubeObject;
  readonly now: Date;
  /** The StatefulSet that runs the server; undefined when it does not exist. */
  readonly statefulSet: KubeObject | undefined;
  /** Errors about the server in the last compilation; undefined until its source was compiled in this process. */
  readonly errors: readonly FoundDiagnostic[] | undefined;
}

interface Spec {
  readonly port?: number;
  readonly podTemplateSpec?: unknown;
}

/** Pure: the same input and the same `before` give the same status. Conditions that other clients set are left out. */
export function computeEmbeddingStatus(
  input: EmbeddingStatusInput,
  before: EmbeddingServerStatus = {},
): EmbeddingServerStatus {
  const { server, now } = input;
  const { namespace = '', name, generation = 0 } = server.metadata;
  const { port } = (server.spec ?? {}) as Spec;
  const readyReplicas = countReplicas(input).ready;
  const { phase, message } = computeState(input);
  const stamp = { generation, now };
  const isReady = phase === 'Ready';
  const reason = isReady ? 'ModelLoaded' : 'ModelNotLoaded';
  const modelReady = { type: 'ModelReady', status: isReady ? 'True' : 'False', reason, message } as const;
  const conditions = setCondition(selectOwnEmbeddingStatus(before).conditions ?? [], modelReady, stamp);
  const template = findTemplateFinding(input);
  return {
    ...{ phase, message, readyReplicas },
    url: formatEmbeddingServerUrl(namespace, name, port),
    observedGeneration: generation,
    conditions:
      template === 'unknown'
        ? conditions
        : template === undefined
          ? removeConditions(conditions, 'PodTemplateValid')
          : setCondition(conditions, template, stamp),
  };
}

/** The fields of a status that this controller owns. */
export function selectOwnEmbeddingStatus(status: EmbeddingServerStatus): EmbeddingServerStatus {
  const { conditions } = status;
  if (conditions === undefined) return status;
  return { ...status, conditions: conditions.filter(({ type }) => EMBEDDING_CONDITIONS.includes(type)) };
}

function computeState(input: EmbeddingStatusInput): Required<Pick<EmbeddingServerStatus, 'phase' | 'message'>> {
  const { server, statefulSet, errors = [] } = input;
  if (server.metadata.deletionTimestamp !== undefined)
    return { phase: 'Terminating', message: 'The object is being deleted' };
  if (statefulSet === undefined) {
    const broken = formatDiagnostics(errors);
    return broken === undefined
      ? { phase: 'Pending', message: 'Waiting for its StatefulSet' }
      : { phase: 'Failed', message: broken };
  }
  const { desired, present, ready } = countReplicas(input);
  if (ready > 0) return { phase: 'Ready', message: `${ready} of ${desired} pods ready` };
  if (present > 0) return { phase: 'Downloading', message: 'Its pods load the model' };
  return { phase: 'Pending', message: 'Waiting for its pods' };
}

function countReplicas({ statefulSet }: EmbeddingStatusInput): { desired: number; present: number; ready: number } {
  const { replicas: desired = 1 } = (statefulSet?.spec ?? {}) as { readonly replicas?: number };
  const { replicas: present = 0, readyReplicas: ready = 0 } = (statefulSet?.status ?? {}) as {
    readonly replicas?: number;
    readonly readyReplicas?: number;
  };
  return { desired, present, ready };
}

/** The finding about the server's pod template; undefined for an object without a template. */
function findTemplateFinding({
  server,
  errors,
}: EmbeddingStatusInput): Parameters<typeof setCondition>[1] | 'unknown' | undefined {
  if (errors === undefined) return 'unknown';
  const wrong = formatDiagnostics(errors.filter(({ pointer = '' }) => pointer.startsWith('/spec/podTemplateSpec')));
  const type = 'PodTemplateValid';
  if (wrong !== undefined) return { type, status: 'False', reason: 'InvalidPodTemplateSpec', message: wrong };
  if ((server.spec as Spec | undefined)?.podTemplateSpec === undefined) return undefined;
  return { type, status: 'True', reason: 'ValidPodTemplateSpec', message: 'nothing is wrong' };
}
