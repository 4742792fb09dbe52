/**
 * Which recorded activation may be restored. Each person who may write ConfigMaps in the namespace can write the record, and the controller would
 * apply what it says with the permissions of the source. So only the objects whose digest is in the status of the source are restored: the controller
 * alone writes the status. Without that digest nothing is restored, because a Service or NetworkPolicy of the record cannot be compared with anything.
 */
import { computeDigest, formatCanonicalJson } from '#schemas';
import type { KubeObject } from '../kube/types.ts';
import type { LastGood } from '../reconcile/index.ts';
import type { Activation } from './record.ts';

/** @param manifests as in a record: without the bundle */
export function computeManifestsDigest(manifests: readonly KubeObject[]): string {
  return computeDigest(formatCanonicalJson(manifests));
}

/** The newest activation of the last good bundle whose objects are those that the status names; undefined when there is none. */
export function findTrustedActivation(
  activations: readonly Activation[],
  back: LastGood | undefined,
): Activation | undefined {
  if (back?.manifests === undefined) return undefined;
  return activations.find(
    ({ digest, manifests }) =>
      digest === back.digest && manifests !== undefined && computeManifestsDigest(manifests) === back.manifests,
  );
}
