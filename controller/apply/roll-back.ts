/** Restores the objects that ran the bundle before the current one. */
import type { CompiledUnit } from '../compile/index.ts';
import type { LastGood } from '../reconcile/index.ts';
import { mapApiError } from './api-error.ts';
import { applyChanges } from './apply-changes.ts';
import type { ApplyContext } from './apply-context.ts';
import type { LabelledObjects } from './desired-objects.ts';
import { formatInventoryId, toObjectKey } from './identity.ts';
import { type ClusterChange, planObject } from './plan-object.ts';
import type { Activation } from './record.ts';
import type { Records } from './records.ts';
import { findTrustedActivation } from './trusted-activation.ts';

/**
 * Restores all objects as they were when every ready pod last ran that bundle: pod template, image, and the NetworkPolicy for its connections. False
 * when the record or the bundle no longer exists, and when the record does not match the status of the source.
 *
 * @throws PartlyApplied
 * @throws ReconcileError
 */
export async function rollBackUnit(
  on: ApplyContext,
  stamps: LabelledObjects,
  records: Records,
  unit: CompiledUnit,
  back: LastGood,
  signal: AbortSignal,
): Promise<boolean> {
  const activations = await records.listActivations(unit, signal);
  const previous = findTrustedActivation(activations, back);
  if (previous === undefined || !(await isBundleThere(on, unit.namespace, previous, signal))) return false;
  const changes: ClusterChange[] = [];
  for (const object of previous.manifests ?? []) {
    const id = formatInventoryId(toObjectKey(object));
    const desired = { id, role: 'content', isNew: false, ...stamps.stamp(object) } as const;
    const { change } = await planObject(on, desired, undefined, signal);
    if (change !== undefined) changes.push(change);
  }
  await applyChanges(on, changes, signal);
  return true;
}

async function isBundleThere(
  on: ApplyContext,
  namespace: string,
  { configMaps }: Activation,
  signal: AbortSignal,
): Promise<boolean> {
  for (const name of configMaps) {
    const key = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name };
    if ((await mapApiError({ key }, on.client.get(key, signal))) === undefined) return false;
  }
  return true;
}
