/** Lists a commit's content from its trees; everything is checked here before anything is written. */
import { listFolders } from './folders.ts';
import { GitError, sanitize } from './git-error.ts';
import { resolveLinks } from './symlinks.ts';
import type { Workspace } from './workspace.ts';

/** Limits for writing a commit to disk. */
export interface TreeLimits {
  readonly files: number;
  /** Limit on one file, in bytes. */
  readonly fileBytes: number;
  /** Limit on all files together, in bytes. */
  readonly totalBytes: number;
  /** Time for listing files; milliseconds. Default: half a minute. */
  readonly listMs?: number;
}

/** Limit on the time for listing: folders take time even without files, and one object may represent a million of them. */
const LIST_MS = 30_000;

export const TREE_LIMITS: TreeLimits = {
  files: 20_000,
  fileBytes: 64 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
};

/** A file or a symbolic link. */
export interface TreeFile {
  /** The path from the root of the repository, with forward slashes. */
  readonly path: string;
  /** The id of the object. */
  readonly id: string;
  readonly bytes: number;
  readonly isLink: boolean;
}

interface RawEntry {
  readonly mode: string;
  readonly type: string;
  readonly id: string;
  readonly bytes: number;
  readonly path: string;
  readonly isUtf8: boolean;
}

/** Limit on Git's list of files, in bytes: far more than that many files need. */
const LIST_BYTES_PER_FILE = 512;

/**
 * The files that are at some paths or below them. Missing paths are ignored.
 *
 * A submodule is an error: it may contain specs, and skipping it would look like a deletion. Unwritable entries in hidden folders and
 * `node_modules`, where specs are never read, are skipped.
 *
 * @param paths from the root, with forward slashes; `.` for all
 * @throws GitError `bad_tree`
 */
export async function listTree(
  workspace: Workspace,
  commit: string,
  paths: readonly string[],
  limits: TreeLimits = TREE_LIMITS,
): Promise<TreeFile[]> {
  const location = describeCommit(workspace, commit);
  const args = ['ls-tree', '-r', '-z', '--long', '--full-tree', commit];
  const pathspec = paths.includes('.') ? [] : ['--', ...paths];
  const { listMs = LIST_MS } = limits;
  const cause = `its folders could not be listed within ${listMs / 1000} s, perhaps because folders are nested many times; check which folders the newest commits add`;
  const deadline = { ms: listMs, error: new GitError('bad_tree', location, cause) };
  const maxBytes = limits.files * LIST_BYTES_PER_FILE;
  const list = await workspace.runBytesWithin(deadline, maxBytes, ...args, ...pathspec).catch(error => {
    throw error instanceof GitError && error.reason === 'too_large' ? createTooManyFiles(location, limits) : error;
  });
  const entries = parse(list).filter(entry => !isIgnored(entry) || findEntryProblem(entry) === null);
  for (const entry of entries) {
    const problem = findEntryProblem(entry);
    if (problem !== null) throw new GitError('bad_tree', `${location}, ${sanitize(entry.path)}`, problem);
  }
  checkAmounts(entries, location, limits);
  const folders = listFolders(
    entries.map(({ path }) => path),
    limits.files,
  );
  if (folders.size > limits.files)
    throw new GitError('bad_tree', location, `there are more than ${limits.files} folders; ${SMALLER}`);
  checkNames(entries, folders, location);
  return entries.map(({ path, id, bytes, mode }) => ({ path, id, bytes, isLink: mode === LINK }));
}

/**
 * All folders of a commit except those where specs are never read, so that a message can suggest a path. The names come from the repository and
 * may have any characters: check a name before a message contains it.
 * @throws GitError
 */
export async function listTreeFolders(workspace: Workspace, commit: string): Promise<readonly string[]> {
  const { files } = TREE_LIMITS;
  const location = describeCommit(workspace, commit);
  const deadline = { ms: LIST_MS, error: new GitError('bad_tree', location, 'its folders could not be listed') };
  const args = ['ls-tree', '-r', '-d', '-z', '--name-only', '--full-tree', commit];
  const list = await workspace.runBytesWithin(deadline, files * LIST_BYTES_PER_FILE, ...args);
  const folders = list.toString('utf8').split('\0');
  return folders.filter(folder => folder !== '' && !isPassedOver(`${folder}/`));
}

/**
 * Checks that links lead to files or folders of the same tree.
 *
 * @param targets link texts by path
 * @returns the links to skip: invalid links in folders where specs are never read
 * @throws GitError `bad_tree`
 */
export function checkLinks(
  workspace: Workspace,
  commit: string,
  files: readonly TreeFile[],
  targets: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const location = describeCommit(workspace, commit);
  const bad = resolveLinks(files, targets);
  const worst = bad.find(({ path }) => !isPassedOver(path));
  if (worst !== undefined)
    throw new GitError('bad_tree', `${location}, ${sanitize(worst.path)}`, `it is a symbolic link ${worst.problem}`);
  return new Set(bad.map(({ path }) => path));
}

/** Whether a path is in a hidden folder or in `node_modules`, where specs are never read. */
export function isPassedOver(path: string): boolean {
  return path
    .split('/')
    .slice(0, -1)
    .some(name => name.startsWith('.') || name === 'node_modules');
}

/** A submodule is a folder. */
function isIgnored({ path, mode }: RawEntry): boolean {
  return isPassedOver(mode === SUBMODULE ? `${path}/` : path) && !isForbidden(path);
}

/** Whether an entry belongs to a tree that Git's own programs never create, and refuse to check out: it is an attack. */
function isForbidden(path: string): boolean {
  return path.split('/').some(name => name === '' || name === '.' || name === '..' || /^\.git$/i.test(name));
}

export function describeCommit({ remote }: Workspace, commit: string): string {
  return `${remote.url} at ${commit.slice(0, 12)}`;
}

const LINK = '120000';
const SUBMODULE = '160000';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Entries that end with NUL: mode, type, id and size, then a tab and the bytes of the path. */
function parse(output: Buffer): RawEntry[] {
  const entries: RawEntry[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at);
    const tab = output.indexOf('\t', at);
    const [mode = '', type = '', id = '', bytes = ''] = output.toString('latin1', at, tab).split(/ +/);
    entries.push({ mode, type, id, bytes: Number(bytes) || 0, ...decode(output.subarray(tab + 1, end)) });
    at = end + 1;
  }
  return entries;
}

function decode(name: Buffer): Pick<RawEntry, 'path' | 'isUtf8'> {
  try {
    return { path: UTF8.decode(name), isUtf8: true };
  } catch {
    return { path: name.toString('latin1'), isUtf8: false };
  }
}

/** Why an entry cannot be written; null when it can. */
function findEntryProblem({ mode, type, path, bytes, isUtf8 }: RawEntry): string | null {
  if (mode === SUBMODULE)
    return 'it is a submodule, which is not fetched; have the specs in the repository itself, or give a path next to it';
  if (type !== 'blob') return 'it is not a file';
  if (!isUtf8) return 'its name is not UTF-8; rename it';
  if (isForbidden(path)) return 'a file must not have this name';
  if (
    Buffer.byteLength(path) > MAX_PATH_BYTES ||
    path.split('/').some(name => Buffer.byteLength(name) > MAX_NAME_BYTES)
  )
    return 'its name is too long; shorten it';
  // A link's target is a path as well, with the same maximum length.
  if (mode === LINK && bytes > MAX_PATH_BYTES) return 'it is a symbolic link that is too long';
  return null;
}

/** The limit of file systems, with room for the containing folder. */
const MAX_PATH_BYTES = 2048;
const MAX_NAME_BYTES = 255;

const SMALLER = 'give the path of the folder that has the specs';

function createTooManyFiles(location: string, limits: TreeLimits): GitError {
  return new GitError('bad_tree', location, `there are more than ${limits.files} files; ${SMALLER}`);
}

function checkAmounts(entries: readonly RawEntry[], location: string, limits: TreeLimits): void {
  if (entries.length > limits.files) throw createTooManyFiles(location, limits);
  const large = entries.find(({ bytes }) => bytes > limits.fileBytes);
  if (large !== undefined)
    throw new GitError(
      'bad_tree',
      `${location}, ${sanitize(large.path)}`,
      `it has ${large.bytes} bytes, and at most ${limits.fileBytes} are read; ${SMALLER}`,
    );
  const total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > limits.totalBytes)
    throw new GitError(
      'bad_tree',
      location,
      `the files have ${total} bytes, and at most ${limits.totalBytes} are read; ${SMALLER}`,
    );
}

/**
 * Refuses a crafted tree that contains a name twice, or a file and a folder of one name: what ends up on the disk would depend on the order of
 * writing.
 */
function checkNames(entries: readonly RawEntry[], folders: ReadonlySet<string>, location: string): void {
  const files = new Set<string>();
  for (const { path } of entries) {
    if (files.has(path))
      throw new GitError('bad_tree', `${location}, ${sanitize(path)}`, 'the folder has this name twice');
    files.add(path);
  }
  const both = [...files].find(path => folders.has(path));
  if (both !== undefined)
    throw new GitError('bad_tree', `${location}, ${sanitize(both)}`, 'the folder has this name twice');
}
