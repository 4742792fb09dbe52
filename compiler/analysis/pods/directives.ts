/**
 * What a pod template says of how it is merged.
 *
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
import { isObject } from '#schemas';
import type { Path } from '../../source/source-document.ts';

export interface DirectiveProblem {
  readonly path: Path;
  readonly message: string;
}

const PATCHES: readonly unknown[] = ['delete', 'merge', 'replace'];

/** Whether a member of a mapping is such a word, and no field. */
export function isDirective(name: string): boolean {
  return /^\$(?:patch|retainKeys|setElementOrder\/.+|deleteFromPrimitiveList\/.+)$/.test(name);
}

/** `- $patch: replace` by itself is about the list that it stands in. */
export function isAboutList(item: unknown): boolean {
  return isObject(item) && Object.keys(item).length === 1 && Object.hasOwn(item, '$patch');
}

/** Every directive at or below a value whose own value says nothing. */
export function directiveProblems(value: unknown, path: Path): DirectiveProblem[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => directiveProblems(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    isDirective(name) ? listProblems(name, member, [...path, name]) : directiveProblems(member, [...path, name]),
  );
}

function listProblems(name: string, value: unknown, path: Path): DirectiveProblem[] {
  if (name === '$patch') {
    return PATCHES.includes(value) ? [] : [{ path, message: `$patch must be one of ${PATCHES.join(', ')}` }];
  }
  return Array.isArray(value) ? [] : [{ path, message: `${name} must be a list` }];
}
