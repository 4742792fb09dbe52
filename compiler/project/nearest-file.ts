/** Which file decides for the paths of a call: the one that lies nearest at or above them, wherever the call is made. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { UsageError } from '../usage-error.ts';

/**
 * The file that is nearest to the paths; undefined when none of them has one. Standard input lies nowhere.
 *
 * @param fileIn the file of a folder, if there is one
 * @param option what chooses another file, for messages
 * @param top the folder above which nothing is looked for, if not as in {@link foldersAbove}
 * @throws UsageError when two paths have different ones: neither may decide for the other
 */
export function nearestToPaths(
  paths: readonly string[],
  cwd: string,
  fileIn: (folder: string) => string | undefined,
  option: string,
  top?: string,
): string | undefined {
  const found = new Map<string, string>();
  for (const path of paths) {
    const file = path === '-' ? undefined : findFirst(foldersAbove(toFolder(resolve(cwd, path)), cwd, top), fileIn);
    if (file !== undefined && !found.has(file)) found.set(file, path);
  }
  const [first, second] = found;
  if (first === undefined || second === undefined) return first?.[0];
  const [one, other] = [first, second].map(([file, path]) => `${shown(file, cwd)} of ${path}`);
  throw new UsageError(
    `two files decide: ${one} and ${other}; give these paths one by one, or name a file with ${option}`,
  );
}

/**
 * From a folder up to the root of its Git repository. What lies above is none of the project's, so outside of a repository
 * the way ends at the working directory, or at once when that is not above. With a `top` it ends there.
 */
export function foldersAbove(folder: string, cwd: string, top?: string): readonly string[] {
  const folders = [folder];
  const isTop = (at: string) => (top === undefined ? existsSync(join(at, '.git')) : at === top);
  for (let at = folder; !isTop(at); ) {
    const parent = dirname(at);
    if (parent === at) return folders.slice(0, Math.max(folders.indexOf(cwd), 0) + 1);
    folders.push(parent);
    at = parent;
  }
  return folders;
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
    // A missing file is reported where it is read.
    return dirname(path);
  }
}

function shown(file: string, cwd: string): string {
  return relative(cwd, file).replaceAll(sep, '/');
}
