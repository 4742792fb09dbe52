/** `imagePullSecrets` of pods and of the service accounts that are made for them. */
import { isObject } from '#schemas';
import type { DeployedWorkload } from './workload.ts';

type PullSecret = { readonly name: string };

type Parts = Pick<DeployedWorkload, 'kind' | 'imagePullSecrets' | 'podTemplateSpec'>;

/** The pull secrets of the service account: only those of the spec. */
export function listAccountPullSecrets({ imagePullSecrets }: Pick<Parts, 'imagePullSecrets'>): readonly PullSecret[] {
  // An empty name, the schema's default, refers to nothing.
  return [...new Map(imagePullSecrets.filter(({ name }) => name !== '').map(secret => [secret.name, secret])).values()];
}

/**
 * The pull secrets of the pods, before the pod template is merged over them by name: those of the spec. For a registry server, a list in the
 * template replaces the spec's.
 */
export function listPodPullSecrets(parts: Parts): readonly PullSecret[] {
  const { kind, podTemplateSpec } = parts;
  const pod = podTemplateSpec?.spec;
  const own = isObject(pod) ? pod.imagePullSecrets : undefined;
  return kind === 'registry' && Array.isArray(own) && own.length > 0 ? [] : listAccountPullSecrets(parts);
}
