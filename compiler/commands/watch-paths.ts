import { type FSWatcher, readdirSync, realpathSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** A burst of events from an editor (write, rename, chmod) counts as one change; milliseconds. */
const SETTLE_MS = 50;

export interface Watcher {
  /** Computes the watched paths again, after a change of these paths that caused no file event. */
  refresh(): void;
  /** Resolves when no call of `changed` is in progress; none follows. */
  close(): Promise<void>;
}

/**
 * Calls `changed` after something below the paths changed, one call at a time; changes during a call cause one more. `noticed` is called
 * immediately, even during a call, which is then out of date. The set of paths is computed again after each change.
 *
 * Every folder has its own watch. Node's recursive watch loses a file on Linux once it is replaced by a rename, as most editors do; the watch of
 * a folder reports such names. A watch ends silently when its folder is removed, even if a new folder takes its place, as when a branch is
 * switched: so every update creates the watches again.
 */
export function watchPaths(paths: () => readonly string[], changed: () => Promise<void>, noticed: () => void): Watcher {
  let watchers: readonly FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let hasChanged = false;
  let isClosed = false;

  const run = async () => {
    do {
      hasChanged = false;
      refresh();
      await changed();
    } while (hasChanged && !isClosed);
    running = undefined;
  };
  const now = () => {
    noticed();
    if (running === undefined) running = run();
    else hasChanged = true;
  };
  const soon = () => {
    clearTimeout(timer);
    timer = isClosed ? undefined : setTimeout(now, SETTLE_MS);
  };
  const refresh = () => {
    if (isClosed) return;
    const before = watchers;
    watchers = [...collectWatchedFolders(paths())].flatMap(([folder, names]) => watchFolder(folder, names, soon) ?? []);
    // Old watches are closed after the new ones exist, so that no change is lost in between.
    for (const watcher of before) watcher.close();
  };
  refresh();
  return {
    refresh,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      await running;
    },
  };
}

/** File names in a folder that matter; undefined for all. */
type Names = ReadonlySet<string> | undefined;

/** The folders to watch: each folder with all below it, and for a single file its parent folder. */
function collectWatchedFolders(paths: readonly string[]): ReadonlyMap<string, Names> {
  const folders = new Map<string, Names>();
  const absolute = paths.map(path => resolve(path));
  for (const file of absolute.filter(path => !isFolder(path))) {
    const folder = dirname(file);
    // An event with the folder's own name means that the folder was removed.
    folders.set(folder, new Set([...(folders.get(folder) ?? [basename(folder)]), basename(file)]));
  }
  for (const tree of absolute.filter(isFolder)) {
    for (const folder of listFolderTree(tree, new Set())) folders.set(folder, undefined);
  }
  return folders;
}

/** A folder and all folders below it. Linked folders are among them, because their files are read; `seen` ends a loop of links. */
function listFolderTree(folder: string, seen: Set<string>): string[] {
  const real = findRealPath(folder);
  if (real === undefined || seen.has(real)) return [];
  seen.add(real);
  const below = listEntries(folder)
    .filter(name => !name.startsWith('.') && name !== 'node_modules')
    .map(name => join(folder, name))
    .filter(isFolder);
  return [folder, ...below.flatMap(path => listFolderTree(path, seen))];
}

/** The path of a folder without links; undefined when the folder has been removed. */
function findRealPath(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // A loop of links, or a folder without permission.
    return false;
  }
}

/** The names in a folder. Empty for a removed or unreadable folder, which the compilation reports if it matters. */
function listEntries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function watchFolder(folder: string, names: Names, soon: () => void): FSWatcher | undefined {
  const onChange = (_event: string, name: string | null) => {
    if (names === undefined || name === null || names.has(name)) soon();
  };
  try {
    // Deleting a folder ends its watch; the parent's event triggers the next update.
    return watch(folder, onChange).on('error', soon);
  } catch (error) {
    // The folder was removed. Any other error, such as too many watches, has to be reported.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      process.stderr.write(`lintel: changes in ${folder} are not followed: ${(error as Error).message}\n`);
    }
    return undefined;
  }
}
