/** Resolves symbolic links without a file system. */

import { listFolders } from './folders.ts';

/** Maximum number of links in one resolution: more links count as a cycle, as in file systems. */
const MAX_LINKS = 40;

/** Total number of path segments resolved for all links. All sources share this process, which must not be blocked. */
const MAX_STEPS = 2_000_000;

interface NamedFile {
  readonly path: string;
  readonly isLink: boolean;
}

export interface BadLink {
  readonly path: string;
  /** The end of a sentence. */
  readonly problem: string;
}

/**
 * The links whose target is neither a file nor one of their folders.
 *
 * Each segment is resolved as in a file system: `..` after a link is the parent of the link's target, so a path that seems to stay inside may
 * lead out.
 *
 * @param targets link texts by path
 */
export function resolveLinks(files: readonly NamedFile[], targets: ReadonlyMap<string, string>): BadLink[] {
  const tree = {
    targets,
    folders: listFolders(files.map(({ path }) => path)),
    files: new Set(files.map(({ path }) => path)),
  };
  const budget = { steps: MAX_STEPS };
  return files.flatMap(({ path, isLink }) => {
    const problem = isLink ? findProblem(path, tree, budget) : undefined;
    return problem === undefined ? [] : [{ path, problem }];
  });
}

interface LinkedTree {
  readonly targets: ReadonlyMap<string, string>;
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

function findProblem(
  path: string,
  { targets, files, folders }: LinkedTree,
  budget: { steps: number },
): string | undefined {
  const at: string[] = [];
  // The segments of the path in reverse, so that `pop` gives the next one.
  const ahead = path.split('/').reverse();
  for (let followed = 0; ahead.length > 0; ) {
    const part = ahead.pop() as string;
    budget.steps -= 1 + at.length;
    if (budget.steps < 0) return TOO_LONG;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.pop() === undefined) return OUTSIDE;
      continue;
    }
    at.push(part);
    const here = at.join('/');
    const target = targets.get(here);
    if (target === undefined) {
      // Nothing is below a file, not even `..`.
      if (!folders.has(here) && !(files.has(here) && ahead.length === 0)) return NOTHING;
      continue;
    }
    followed += 1;
    if (followed > MAX_LINKS) return 'in a circle; remove the link';
    if (target.startsWith('/') || target === '' || target.includes('\0')) return OUTSIDE;
    at.pop();
    ahead.push(...target.split('/').reverse());
  }
  return undefined;
}

const TOO_LONG = 'over too many other links; make the link lead to its target directly';
const NOTHING = 'to a target that is not below the path of the source; commit the target there';
const OUTSIDE = 'that leads out of the repository, which is not followed; commit the target itself';
