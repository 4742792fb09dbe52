/**
 * Merge directives in a pod template.
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
import { isObject } from '#schemas';
import type { Path } from '../../source/source-document.ts';

export interface DirectiveProblem {
  readonly path: Path;
  readonly message: string;
}

const PATCHES: readonly unknown[] = ['delete', 'merge', 'replace'];

/** Whether a member of a mapping is a directive and not a field. */
export function isDirective(name: string): boolean {
  return /^\$(?:patch|retainKeys|setElementOrder\/.+|deleteFromPrimitiveList\/.+)$/.test(name);
}

/** Whether a list item is only a directive: `- $patch: replace` alone in an item applies to the whole list. */
export function isAboutList(item: unknown): boolean {
  return isObject(item) && Object.keys(item).length === 1 && Object.hasOwn(item, '$patch');
}

/** Problems of every directive at or below a value. */
export function findDirectiveProblems(value: unknown, path: Path): DirectiveProblem[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => findDirectiveProblems(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    isDirective(name) ? listProblems(name, member, [...path, name]) : findDirectiveProblems(member, [...path, name]),
  );
}

function listProblems(name: string, value: unknown, path: Path): DirectiveProblem[] {
  if (name === '$patch') {
    return PATCHES.includes(value) ? [] : [{ path, message: `$patch must be one of ${PATCHES.join(', ')}` }];
  }
  return Array.isArray(value) ? [] : [{ path, message: `${name} must be a list` }];
}
