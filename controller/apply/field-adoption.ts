/** Fields that people set by kubectl on objects of ours: they are managed by us from then on, so that what the repository lacks goes away. */
import { FIELD_MANAGER, LABEL_DOMAIN } from '#schemas';
import type { KubeObject, ManagedFields } from '../kube/types.ts';
import { dropped, type Fields, findAppliedFields, isEmpty, partition, readFields, union } from './fields.ts';

/** Managers whose changes are meant to stay: they adjust an object, and do not define it. */
const LEFT_ALONE: readonly string[] = [
  'kubectl-annotate',
  'kubectl-autoscale',
  'kubectl-label',
  'kubectl-rollout',
  'kubectl-scale',
];

const RESTARTED_AT = [
  'f:spec',
  'f:template',
  'f:metadata',
  'f:annotations',
  'f:kubectl.kubernetes.io/restartedAt',
].join();

/**
 * The new `managedFields` of an object that has such fields, else undefined. Left to people are the number of replicas, the time of a
 * restart, and annotations by which they tell us something.
 */
export function adoptedFields(live: KubeObject): readonly ManagedFields[] | undefined {
  const all = live.metadata.managedFields ?? [];
  let taken: Fields = {};
  const others = all.flatMap((entry): readonly ManagedFields[] => {
    if (!isAdopted(entry)) return isAppliedByLintel(entry) ? [] : [entry];
    const { chosen, rest } = partition(readFields(entry), isLeftToPeople);
    taken = union(taken, rest);
    return isEmpty(chosen) ? [] : [{ ...entry, fieldsV1: chosen }];
  });
  if (isEmpty(taken)) return undefined;
  const ours = all.find(isAppliedByLintel);
  const like = ours ?? {
    ...all.find(isAdopted),
    manager: FIELD_MANAGER,
    operation: 'Apply',
  };
  return [{ ...like, fieldsV1: union(ours ? readFields(ours) : {}, taken) }, ...others];
}

/**
 * What applying gives after such fields are taken over.
 *
 * @param live what is there
 * @param applied what applying would give without
 */
export function withoutAdoptedFields(live: KubeObject, applied: KubeObject): KubeObject {
  const others = (live.metadata.managedFields ?? []).filter(entry => !isAdopted(entry) && !isAppliedByLintel(entry));
  const kept = [findAppliedFields(applied, FIELD_MANAGER) ?? {}, ...others.map(readFields)].reduce(union);
  const taken = (live.metadata.managedFields ?? [])
    .filter(isAdopted)
    .map(entry => partition(readFields(entry), isLeftToPeople).rest)
    .reduce(union, {});
  return dropped(applied, taken, kept) as KubeObject;
}

/** Whether a manager is one that people act by. */
export function isAdopted(entry: ManagedFields): boolean {
  if (entry.subresource) return false;
  if (entry.operation === 'Apply') return entry.manager === 'kubectl';
  if (entry.manager === 'before-first-apply') return true;
  return /^kubectl\b/.test(entry.manager) && !LEFT_ALONE.includes(entry.manager);
}

export function isAppliedByLintel(entry: ManagedFields): boolean {
  return entry.manager === FIELD_MANAGER && entry.operation === 'Apply' && !entry.subresource;
}

function isLeftToPeople(path: readonly string[]): boolean {
  const [top, next, name] = path;
  if (top === 'f:status') return true;
  if (top === 'f:metadata') {
    return next === 'f:annotations' && path.length === 3 && name?.startsWith(`f:${LABEL_DOMAIN}/`) === true;
  }
  return path.join() === 'f:spec,f:replicas' || path.join() === RESTARTED_AT;
}
