import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLE_FILE, INDEX_FILE } from '#schemas';

/** How often the watched path is looked at; milliseconds. */
const POLL_MS = 200;

/**
 * Calls `changed` when the bundle behind a path may be another one. It polls: notifications are lost on network file
 * systems, and a mounted ConfigMap changes by a symbolic link two levels up.
 *
 * @returns a function that stops watching
 */
export function watchBundle(path: string, changed: () => Promise<void>): () => void {
  let last: string | undefined;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const current = await fingerprint(path);
    if (last !== undefined && current !== last) await changed();
    last = current;
    if (!stopped) timer = setTimeout(() => void look(), POLL_MS).unref();
  };
  void look();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Identity and time of the files that decide: the path itself, and an index or a bundle inside it. */
async function fingerprint(path: string): Promise<string> {
  const files = [path, join(path, INDEX_FILE), join(path, BUNDLE_FILE)];
  const parts = await Promise.all(
    files.map(async file => {
      const info = await stat(file, { bigint: true }).catch(() => undefined);
      return info === undefined ? '-' : `${info.ino}:${info.size}:${info.mtimeNs}`;
    }),
  );
  return parts.join(' ');
}
