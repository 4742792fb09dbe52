/** Finds the file that applies to the paths of a command: the nearest one at or above them, independent of the working directory. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { UsageError } from '../usage-error.ts';

/**
 * The file that is nearest to the paths; undefined when none of them has one. Standard input has no location.
 *
 * @param fileIn the file of a folder, if there is one
 * @param option the option that selects another file, for messages
 * @param top the folder above which nothing is searched; default as in {@link listFoldersAbove}
 * @throws UsageError when two paths have different ones, because it is unclear which applies
 */
export function findNearestToPaths(
  paths: readonly string[],
  cwd: string,
  fileIn: (folder: string) => string | undefined,
  option: string,
  top?: string,
): string | undefined {
  const found = new Map<string, string>();
  for (const path of paths) {
    const file = path === '-' ? undefined : findFirst(listFoldersAbove(toFolder(resolve(cwd, path)), top), fileIn);
    if (file !== undefined && !found.has(file)) found.set(file, path);
  }
  const [first, second] = found;
  if (first === undefined || second === undefined) return first?.[0];
  const [one, other] = [first, second].map(([file, path]) => `${formatFile(file, cwd)} of ${path}`);
  throw new UsageError(
    `two files decide: ${one} and ${other}; give these paths one by one, or name a file with ${option}`,
  );
}

/**
 * A folder and its parents up to the root of its Git repository: anything above belongs to other projects. Outside of a repository the search
 * ends below a folder that all users may write to. With a `top` it ends there.
 */
export function listFoldersAbove(folder: string, top?: string): readonly string[] {
  const folders = [folder];
  const isTop = (at: string) => (top === undefined ? existsSync(join(at, '.git')) : at === top);
  for (let at = folder; !isTop(at); ) {
    const parent = dirname(at);
    if (parent === at) return top === undefined ? folders : [folder];
    if (top === undefined && isWritableByAll(parent)) return folders;
    folders.push(parent);
    at = parent;
  }
  return folders;
}

/** Such as the folder for temporary files, where each user may leave a configuration for another one. */
function isWritableByAll(folder: string): boolean {
  const OTHERS_WRITE = 0o002;
  return ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS_WRITE) !== 0;
}

export function findFirst(
  folders: readonly string[],
  fileIn: (folder: string) => string | undefined,
): string | undefined {
  for (const folder of folders) {
    const file = fileIn(folder);
    if (file !== undefined) return file;
  }
  return undefined;
}

function toFolder(path: string): string {
  try {
    return statSync(path).isDirectory() ? path : dirname(path);
  } catch {
    // A missing file is reported later, when it is read.
    return dirname(path);
  }
}

function formatFile(file: string, cwd: string): string {
  return relative(cwd, file).replaceAll(sep, '/');
}
