/** Fields that ToolHive has gained since the version whose fields this one serves. They are no mistakes of spelling or place. */
import type { Path } from '../source/source-document.ts';

/** The last version of ToolHive that was looked at for such fields. */
const SEEN_IN = '0.63';

const NEWER: readonly { readonly field: string; readonly isAt: (path: Path) => boolean }[] = [
  { field: 'caBundleRef', isAt: path => path.includes('upstreamProviders') },
  { field: 'scopesSupported', isAt: path => path[0] === 'auth' || path[0] === 'spec' },
  { field: 'format', isAt: path => path[0] === 'sources' || path[0] === 'registries' },
];

/** What to do about an unknown field that a newer ToolHive has; undefined where it is none of those. */
export function newerFieldHelp(path: Path): string | undefined {
  const field = path.at(-1);
  if (!NEWER.some(newer => newer.field === field && newer.isAt(path))) return undefined;
  return `ToolHive ${SEEN_IN} has this field; it is newer than what this version of Lintel serves, and nothing of it would have an effect. Remove it`;
}

/** Where no other advice is to be had for a field of an object of ToolHive. */
export const MAYBE_NEWER: string = `Correct the spelling or remove it; where a ToolHive later than ${SEEN_IN} has it, this version of Lintel does not serve it`;

/** Whether an advice says that a field may be newer than what this version serves. */
export function isAboutNewer(help: string | undefined): boolean {
  return help?.includes('this version of Lintel') === true;
}
