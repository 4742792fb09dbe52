import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** An editor's burst of events (write, rename, chmod) is one change; milliseconds. */
const SETTLE_MS = 50;

/**
 * Calls `changed` after something below the paths changed, one call at a time; changes during a call cause one more.
 *
 * Every folder is watched by itself. Node's recursive watch loses a file on Linux once it was replaced by a rename, which
 * is how most editors save; a folder's own watch sees names come and go.
 */
export function watchPaths(paths: readonly string[], changed: () => Promise<void>): { close(): void } {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let again = false;

  const run = async () => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      refresh();
      await changed();
    } while (again);
    running = false;
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void run(), SETTLE_MS);
  };
  const refresh = () => {
    const folders = new Set(paths.flatMap(foldersOf));
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of folders) {
      if (!watchers.has(folder)) watchers.set(folder, watchFolder(folder, soon));
    }
  };
  refresh();
  return {
    close: () => {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/** The folders in which a change matters: the folder of a file, a folder and all below it. */
function foldersOf(path: string): string[] {
  const absolute = resolve(path);
  const info = statSync(absolute, { throwIfNoEntry: false });
  return info?.isDirectory() === true ? folderTree(absolute) : [dirname(absolute)];
}

function folderTree(folder: string): string[] {
  const below = readdirSync(folder, { withFileTypes: true }).filter(
    entry => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules',
  );
  return [folder, ...below.flatMap(({ name }) => folderTree(join(folder, name)))];
}

function watchFolder(folder: string, soon: () => void): FSWatcher {
  const watcher = watch(folder, soon);
  // A folder that is deleted ends its watch; the event of its parent brings the next look.
  watcher.on('error', soon);
  return watcher;
}
