/** Fields that ToolHive added after the version that Lintel supports. They are neither misspelt nor misplaced. */
import type { Path } from '../source/source-document.ts';

/** The latest ToolHive version that was searched for such fields. */
const SEEN_IN = '0.63';

const NEWER: readonly { readonly field: string; readonly isAt: (path: Path) => boolean }[] = [
  { field: 'caBundleRef', isAt: path => path.includes('upstreamProviders') },
  { field: 'scopesSupported', isAt: path => path[0] === 'auth' || path[0] === 'spec' },
  { field: 'format', isAt: path => path[0] === 'sources' || path[0] === 'registries' },
];

/** Advice for an unknown field that a newer ToolHive has; undefined for others. */
export function suggestNewerField(path: Path): string | undefined {
  const field = path.at(-1);
  if (!NEWER.some(newer => newer.field === field && newer.isAt(path))) return undefined;
  return `ToolHive ${SEEN_IN} has this field, but this version of Lintel does not serve it: the field would have no effect. Remove it`;
}

/** The fallback advice for a field of a ToolHive object. */
export const MAYBE_NEWER: string = `Correct the spelling or remove the field. If a ToolHive later than ${SEEN_IN} has this field, this version of Lintel does not serve it`;

/** Whether a suggestion says that a field may be newer than the supported version. */
export function isAboutNewer(help: string | undefined): boolean {
  return help?.includes('this version of Lintel') === true;
}
