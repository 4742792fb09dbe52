/** Where symbolic links lead, found out without a file system. */

/** More links on one way than this are a circle, for file systems too. */
const MAX_LINKS = 40;

interface NamedFile {
  readonly path: string;
  readonly isLink: boolean;
}

export interface BadLink {
  readonly path: string;
  /** The end of a sentence about it. */
  readonly problem: string;
}

/**
 * The links that do not lead to one of the files, or a folder of theirs.
 *
 * Each part of a target is followed as a file system does: `..` behind a link is the folder above of what the link leads to, so
 * that what looks as if it stayed inside need not do so.
 *
 * @param targets texts of the links, by path
 */
export function resolveLinks(files: readonly NamedFile[], targets: ReadonlyMap<string, string>): BadLink[] {
  const folders = new Set<string>();
  for (const { path } of files)
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
      folders.add(path.slice(0, slash));
  const known = new Set(files.map(({ path }) => path));
  return files.flatMap(({ path, isLink }) => {
    const problem = isLink ? problemOf(path, targets, known, folders) : undefined;
    return problem === undefined ? [] : [{ path, problem }];
  });
}

function problemOf(
  path: string,
  targets: ReadonlyMap<string, string>,
  files: ReadonlySet<string>,
  folders: ReadonlySet<string>,
): string | undefined {
  const at: string[] = [];
  const ahead = path.split('/');
  for (let followed = 0; ahead.length > 0; ) {
    const part = ahead.shift() as string;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.pop() === undefined) return OUTSIDE;
      continue;
    }
    at.push(part);
    const here = at.join('/');
    const target = targets.get(here);
    if (target === undefined) {
      // Nothing is behind a file, not even what is above it.
      if (!folders.has(here) && !(files.has(here) && ahead.length === 0)) return NOTHING;
      continue;
    }
    followed += 1;
    if (followed > MAX_LINKS) return 'in a circle; take it away';
    if (target.startsWith('/') || target === '' || target.includes('\0')) return OUTSIDE;
    at.pop();
    ahead.unshift(...target.split('/'));
  }
  return undefined;
}

const NOTHING = 'to nothing that belongs to the path of the source; commit what it leads to there';
const OUTSIDE = 'that leads out of the repository, which is not followed; commit what it leads to';
