import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Why a file of an untrusted folder must not be read; undefined when it may. For a missing file its folder is checked, because findings
 * must not reveal whether a file exists outside.
 *
 * @param absolute normalized
 * @param folder the folder that paths and links must not lead out of; default: the Git repository of the path
 */
export function findEscape(absolute: string, folder: string | undefined): string | undefined {
  if (folder === undefined) return leadsOutOfRepository(absolute);
  if (!isWithin(path.resolve(folder), absolute)) return 'it is outside of the source folder';
  return isWithin(realpathSync(folder), resolveNearest(absolute))
    ? undefined
    : 'the link leads out of the source folder';
}

function leadsOutOfRepository(absolute: string): string | undefined {
  const real = resolveNearest(absolute);
  if (real === absolute) return undefined;
  const repository = findRepository(absolute);
  if (repository === undefined || isWithin(realpathSync(repository), real)) return undefined;
  return 'the link leads out of the repository';
}

/** The root of a path's Git repository; undefined for none. A linked folder belongs to the repository of the link. */
export function findRepository(absolute: string): string | undefined {
  const parent = path.dirname(absolute);
  // In worktrees and submodules, `.git` is a file.
  const isRoot =
    existsSync(path.join(absolute, '.git')) &&
    resolveNearest(absolute) === path.join(resolveNearest(parent), path.basename(absolute));
  if (isRoot) return absolute;
  return parent === absolute ? undefined : findRepository(parent);
}

/** Whether a path is a folder or inside of it; both absolute. Links are not resolved. */
export function isWithin(folder: string, absolute: string): boolean {
  const relative = path.relative(folder, absolute);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function resolveNearest(absolute: string): string {
  try {
    return realpathSync(absolute);
  } catch {
    return resolveNearest(path.dirname(absolute));
  }
}
