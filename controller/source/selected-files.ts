/** Selects the files of a commit that a source is compiled from: those that `lintel check PATH` reads in a checkout. */
import { basename, dirname, posix } from 'node:path';
import { readTexts, SourceText } from '#compiler';
import { findGitPathProblem, LOCK_FILE } from '#schemas';
import {
  GitError,
  listTree,
  listTreeFolders,
  readFileAt,
  type TreeFile,
  type TreeLimits,
  type Workspace,
} from '#shared/git';
import { findNearest } from '#shared/util';
import type { SourceNames } from './source-names.ts';

const PROJECT_FILE = 'lintel.yaml';

/** Names of files that are searched at the path and in each parent folder; `lintel.yml` is a mistake that the compiler reports. */
const DECIDING = [PROJECT_FILE, 'lintel.yml', LOCK_FILE, 'lintel-baseline.json'];

/**
 * A normalized path, without a leading `./` for example.
 * @returns `.` for the whole repository
 * @throws GitError `invalid` when it leads out of the repository
 */
export function resolveRepositoryPath(writtenPath: string, location: string, { path: name }: SourceNames): string {
  const path = posix.normalize(writtenPath === '' ? '.' : writtenPath).replace(/\/$/, '');
  const problem = path === '.' ? undefined : findGitPathProblem(path);
  if (problem !== undefined)
    throw new GitError('invalid', location, `${name} is not a path of a folder in the repository`);
  return path;
}

/**
 * All files below the path, and the configuration files that apply to it from parent folders: the project file, the tool lock and the baseline,
 * including those that the project file names.
 *
 * @throws GitError `no_file` when there is nothing at the path; those of {@link listTree}
 */
export async function selectFiles(
  workspace: Workspace,
  commit: string,
  path: string,
  { limits, mayBeEmpty = false }: { readonly limits?: TreeLimits | undefined; readonly mayBeEmpty?: boolean } = {},
): Promise<TreeFile[]> {
  if (path === '.') return listTree(workspace, commit, ['.'], limits);
  const folders = [...listFoldersAbove(path), path];
  const deciding = folders.flatMap(folder => DECIDING.map(name => posix.join(folder, name)));
  const files = await listTree(workspace, commit, [path, ...deciding.filter(file => !isBelow(file, path))], limits);
  if (!mayBeEmpty && !files.some(file => isBelow(file.path, path)))
    throw new GitError(
      'no_file',
      `${workspace.remote.url} at ${commit.slice(0, 12)}, ${path}`,
      `no file is at this path${await suggestFolder(workspace, commit, path)}`,
    );
  const present = new Set(files.map(file => file.path));
  const names = folders.map(folder => posix.join(folder, PROJECT_FILE));
  const project = files
    .filter(file => names.includes(file.path))
    .sort(compareByDepth)
    .at(-1);
  const named = project === undefined ? [] : await listNamedFiles(workspace, commit, project);
  const missing = named.filter(file => !present.has(file));
  if (missing.length === 0) return files;
  const more = await listTree(workspace, commit, missing, limits);
  return [...files, ...more.filter(file => missing.includes(file.path))];
}

/** The folder that was probably meant by a path without files, as the end of a message. */
async function suggestFolder(workspace: Workspace, commit: string, path: string): Promise<string> {
  let folders: readonly string[];
  try {
    folders = await listTreeFolders(workspace, commit);
  } catch (error) {
    // The folders only serve the suggestion.
    if (error instanceof GitError) return '';
    throw error;
  }
  const near = folders.find(folder => folder.endsWith(`/${path}`)) ?? findNearestFolder(path, folders);
  return near === undefined || /[^\x21-\x7e]/.test(near) ? '' : ` (did you mean ${near}?)`;
}

/** The folder next to the first part of the path that does not exist, with a similar name. */
function findNearestFolder(path: string, folders: readonly string[]): string | undefined {
  const missing = [...listFoldersAbove(path).slice(1), path].find(part => !folders.includes(part)) ?? path;
  const parent = dirname(missing);
  const names = folders.filter(folder => dirname(folder) === parent).map(folder => basename(folder));
  const near = findNearest(basename(missing), names);
  return near === undefined ? undefined : posix.join(parent, near);
}

/** Whether a commit has anything at the path. @throws GitError */
export async function hasPath(
  workspace: Workspace,
  commit: string,
  path: string,
  limits?: TreeLimits,
): Promise<boolean> {
  const files = await listTree(workspace, commit, [path], limits);
  return files.some(file => isBelow(file.path, path));
}

/** Sorts files of nested folders from the outermost to the innermost. */
function compareByDepth(a: TreeFile, b: TreeFile): number {
  return a.path.length - b.path.length;
}

/** The folders above a path, from the root, without the path itself. */
function listFoldersAbove(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, count) => parts.slice(0, count).join('/'));
}

function isBelow(file: string, path: string): boolean {
  return file === path || file.startsWith(`${path}/`);
}

/**
 * Maximum size of a project file in bytes. All other files are read by a worker with limited memory and time, but this one by the process that
 * all sources share.
 */
const MAX_PROJECT_BYTES = 128 * 1024;

/**
 * Files outside of the usual locations that a project file names. The compiler reports mistakes in the project file.
 * @throws GitError `bad_tree` when it is too large
 */
async function listNamedFiles(
  workspace: Workspace,
  commit: string,
  { path: project, bytes }: TreeFile,
): Promise<string[]> {
  if (bytes > MAX_PROJECT_BYTES)
    throw new GitError(
      'bad_tree',
      `${workspace.remote.url} at ${commit.slice(0, 12)}, ${project}`,
      `it has ${bytes} bytes, and a project file has at most ${MAX_PROJECT_BYTES}; move accepted findings into a baseline`,
    );
  let text: string;
  try {
    text = (await readFileAt(workspace, commit, project)).toString('utf8');
  } catch (error) {
    if (error instanceof GitError && error.reason !== 'no_file') throw error;
    return [];
  }
  // The compiler's own reader has limits for any text, and gives the same result as in the worker.
  const [document] = readTexts([new SourceText(project, text)]).documents;
  const settings = document?.value;
  const { catalog, baseline } = (typeof settings === 'object' && settings !== null ? settings : {}) as {
    readonly [field: string]: unknown;
  };
  return [catalog, baseline]
    .filter(name => typeof name === 'string')
    .map(name => posix.join(dirname(project), name))
    .filter(name => findGitPathProblem(name) === undefined);
}
