/**
 * Which recorded activation may be restored. Each person who may write ConfigMaps in the namespace can write the record, and the controller would
 * apply what it says with the permissions of the source. So only what the status of the source knows is restored: that is written by the controller.
 */
import { buildObjectNames, computeDigest, formatCanonicalJson, isObject } from '#schemas';
import type { CompiledUnit } from '../compile/index.ts';
import type { KubeObject } from '../kube/types.ts';
import type { LastGood } from '../reconcile/index.ts';
import { readDeploymentRelease } from './deployment-health.ts';
import type { LabelledObjects } from './desired-objects.ts';
import { type Activation, findDeployment } from './record.ts';

type RestorableUnit = Pick<CompiledUnit, 'kind' | 'namespace' | 'name'>;

/** @param manifests as in a record: without the bundle */
export function computeManifestsDigest(manifests: readonly KubeObject[]): string {
  return computeDigest(formatCanonicalJson(manifests));
}

/** The newest activation of the last good bundle whose objects are those that the status names; undefined when there is none. */
export function findTrustedActivation(
  activations: readonly Activation[],
  unit: RestorableUnit,
  back: LastGood | undefined,
  stamps: LabelledObjects,
): Activation | undefined {
  if (back === undefined) return undefined;
  return activations.find(
    ({ digest, manifests }) =>
      digest === back.digest && manifests !== undefined && isTrusted(manifests, unit, back, stamps),
  );
}

function isTrusted(
  manifests: readonly KubeObject[],
  unit: RestorableUnit,
  { release, manifests: known }: LastGood,
  stamps: LabelledObjects,
): boolean {
  if (known !== undefined) return computeManifestsDigest(manifests) === known;
  // The status of an earlier version has no digest of the objects. Its release has the hash of the Deployment, which says what pods run.
  if (release === undefined || !manifests.every(manifest => isOwn(manifest, unit))) return false;
  const deployment = findDeployment({ manifests });
  return deployment !== undefined && readDeploymentRelease(deployment, stamps.stamp(deployment).hash) === release;
}

/** The kinds of the objects that run a unit. */
const OWN_KINDS: ReadonlySet<string> = new Set([
  'v1 Service',
  'v1 ServiceAccount',
  'apps/v1 Deployment',
  'networking.k8s.io/v1 NetworkPolicy',
  'policy/v1 PodDisruptionBudget',
]);

function isOwn(manifest: unknown, unit: RestorableUnit): boolean {
  if (!isObject(manifest) || !isObject(manifest.metadata)) return false;
  const { apiVersion, kind, metadata } = manifest;
  const names: readonly unknown[] = Object.values(buildObjectNames(unit));
  return (
    OWN_KINDS.has(`${apiVersion} ${kind}`) && metadata.namespace === unit.namespace && names.includes(metadata.name)
  );
}
