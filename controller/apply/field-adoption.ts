/** Adopts fields that people set with kubectl on applied objects, so that fields that the repository does not have are removed. */
import { FIELD_MANAGER, LABEL_DOMAIN } from '#schemas';
import type { KubeObject, ManagedFields } from '../kube/types.ts';
import {
  dropFields,
  findAppliedFields,
  isEmpty,
  type ManagedFieldTree,
  partition,
  readFields,
  uniteFields,
} from './fields.ts';

/** Managers whose changes are legitimate: they adjust an object rather than define it. */
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
 * The new `managedFields` of an object on which people set fields with kubectl; undefined when there are no such fields. The replica count, the
 * restart time, and annotations that give the controller instructions stay with their managers.
 */
export function findAdoptedFields(live: KubeObject): readonly ManagedFields[] | undefined {
  const all = live.metadata.managedFields ?? [];
  let adopted: ManagedFieldTree = {};
  const others = all.flatMap((entry): readonly ManagedFields[] => {
    if (!isAdopted(entry)) return isAppliedByLintel(entry) ? [] : [entry];
    const { chosen, rest } = partition(readFields(entry), isLeftToPeople);
    adopted = uniteFields(adopted, rest);
    return isEmpty(chosen) ? [] : [{ ...entry, fieldsV1: chosen }];
  });
  if (isEmpty(adopted)) return undefined;
  const ours = all.find(isAppliedByLintel);
  const like = ours ?? {
    ...all.find(isAdopted),
    manager: FIELD_MANAGER,
    operation: 'Apply',
  };
  return [{ ...like, fieldsV1: uniteFields(ours ? readFields(ours) : {}, adopted) }, ...others];
}

/**
 * The result of applying after the fields are adopted.
 *
 * @param live the current object
 * @param applied the result of applying without adoption
 */
export function withoutAdoptedFields(live: KubeObject, applied: KubeObject): KubeObject {
  const others = (live.metadata.managedFields ?? []).filter(entry => !isAdopted(entry) && !isAppliedByLintel(entry));
  const ownedFields = [findAppliedFields(applied, FIELD_MANAGER) ?? {}, ...others.map(readFields)].reduce(uniteFields);
  const adopted = (live.metadata.managedFields ?? [])
    .filter(isAdopted)
    .map(entry => partition(readFields(entry), isLeftToPeople).rest)
    .reduce(uniteFields, {});
  return dropFields(applied, adopted, ownedFields) as KubeObject;
}

/** Whether a manager is a tool that people use directly. */
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
