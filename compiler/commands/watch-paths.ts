import { type FSWatcher, readdirSync, realpathSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** An editor's burst of events (write, rename, chmod) is one change; milliseconds. */
const SETTLE_MS = 50;

export interface Watcher {
  /** Looks again at which paths are watched, when they have become others without any change below them. */
  refresh(): void;
  /** Resolves when a call that is under way is done; there is none after it. */
  close(): Promise<void>;
}

/**
 * Calls `changed` after something below the paths changed, one call at a time; changes during a call cause one more. `noticed` is
 * called at once, also during a call: what that is about is out of date. Which paths these are is asked again after each change.
 *
 * Every folder is watched by itself. Node's recursive watch loses a file on Linux once it was replaced by a rename, which
 * is how most editors save; a folder's own watch sees names come and go. A watch ends in silence when its folder is
 * removed, even if another one comes in its place, as when a branch is changed: so every look at the folders watches again.
 */
export function watchPaths(paths: () => readonly string[], changed: () => Promise<void>, noticed: () => void): Watcher {
  let watchers: readonly FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let isClosed = false;

  const run = async () => {
    do {
      again = false;
      refresh();
      await changed();
    } while (again && !isClosed);
    running = undefined;
  };
  const now = () => {
    noticed();
    if (running === undefined) running = run();
    else again = true;
  };
  const soon = () => {
    clearTimeout(timer);
    timer = isClosed ? undefined : setTimeout(now, SETTLE_MS);
  };
  const refresh = () => {
    if (isClosed) return;
    const before = watchers;
    watchers = [...watchedFolders(paths())].flatMap(([folder, names]) => watchFolder(folder, names, soon) ?? []);
    // After the new ones are there, so that no change falls in between.
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

/** Names in a folder whose change matters; undefined for all. */
type Names = ReadonlySet<string> | undefined;

/** The folders in which a change matters: a folder and all below it, and for the sake of one file the folder it is in. */
function watchedFolders(paths: readonly string[]): ReadonlyMap<string, Names> {
  const folders = new Map<string, Names>();
  const absolute = paths.map(path => resolve(path));
  for (const file of absolute.filter(path => !isFolder(path))) {
    const folder = dirname(file);
    // An event with the name of the folder itself says that it was removed.
    folders.set(folder, new Set([...(folders.get(folder) ?? [basename(folder)]), basename(file)]));
  }
  for (const tree of absolute.filter(isFolder)) {
    for (const folder of folderTree(tree, new Set())) folders.set(folder, undefined);
  }
  return folders;
}

/** Linked folders count as well, since their files are read; `seen` ends a loop of links. */
function folderTree(folder: string, seen: Set<string>): string[] {
  const real = findRealPath(folder);
  if (real === undefined || seen.has(real)) return [];
  seen.add(real);
  const below = listEntries(folder)
    .filter(name => !name.startsWith('.') && name !== 'node_modules')
    .map(name => join(folder, name))
    .filter(isFolder);
  return [folder, ...below.flatMap(path => folderTree(path, seen))];
}

/** Undefined for a folder that went away since it was found. */
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
    // A loop of links, or a folder that may not be entered.
    return false;
  }
}

/** None for a folder that is gone by now or cannot be read; the compilation says so where it matters. */
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
    // A folder that is deleted ends its watch; the event of its parent brings the next look.
    return watch(folder, onChange).on('error', soon);
  } catch (error) {
    // It went away since it was found. Anything else, such as too many watches, must not pass unseen.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      process.stderr.write(`lintel: changes in ${folder} are not followed: ${(error as Error).message}\n`);
    }
    return undefined;
  }
}
