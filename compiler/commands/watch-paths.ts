import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** An editor's burst of events (write, rename, chmod) is one change; milliseconds. */
const SETTLE_MS = 60;

/**
 * Calls `changed` after files below the paths changed, one call at a time; changes during a call cause one more.
 *
 * The folder of a file is watched, not the file: editors replace files, and a watch would stay with the old one.
 */
export function watchPaths(paths: readonly string[], changed: () => Promise<void>): { close(): void } {
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
      await changed();
    } while (again);
    running = false;
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void run(), SETTLE_MS);
  };
  const watchers = foldersOf(paths).map(folder => watchFolder(folder, soon));
  return {
    close: () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function foldersOf(paths: readonly string[]): { readonly path: string; readonly recursive: boolean }[] {
  return paths.map(path => {
    const absolute = resolve(path);
    const recursive = statSync(absolute).isDirectory();
    return { path: recursive ? absolute : dirname(absolute), recursive };
  });
}

function watchFolder(
  { path, recursive }: { readonly path: string; readonly recursive: boolean },
  soon: () => void,
): FSWatcher {
  const watcher = watch(path, { recursive }, soon);
  watcher.on('error', error => {
    process.stderr.write(
      `lintel: cannot watch ${path} (${(error as Error).message}); restart to see further changes\n`,
    );
  });
  return watcher;
}
