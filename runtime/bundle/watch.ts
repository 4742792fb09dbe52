import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLE_FILE, compressedPath, INDEX_FILE, partPath } from '#schemas';

/** How often the watched path is looked at; milliseconds. */
const POLL_MS = 200;

/** What could not be used is tried again after so many looks: a part of it may have arrived late. */
const LOOKS_BEFORE_RETRY = 10;

/**
 * Calls `changed` at the first look, whenever the bundle behind a path may be another one, and again from time to time
 * while it answers that it could not be used. It polls: notifications are lost on network file systems, and a mounted
 * ConfigMap changes by a symbolic link two levels up.
 *
 * @returns stops watching; resolves when a call under way has ended
 */
export function watchBundle(path: string, changed: () => Promise<boolean>): () => Promise<void> {
  let last: string | undefined;
  let looksToRetry = Number.POSITIVE_INFINITY;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const current = await fingerprint(path);
    looksToRetry--;
    if (current !== last || looksToRetry <= 0) {
      looksToRetry = (await changed()) ? Number.POSITIVE_INFINITY : LOOKS_BEFORE_RETRY;
    }
    last = current;
    if (!stopped) timer = setTimeout(again, POLL_MS).unref();
  };
  let looking = look();
  const again = (): void => {
    looking = look();
  };
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await looking;
  };
}

/** Identity and time of the files that decide: the path itself, and an index or a bundle inside it, in whatever form. */
async function fingerprint(path: string): Promise<string> {
  const bundle = join(path, BUNDLE_FILE);
  const files = [path, join(path, INDEX_FILE), bundle, compressedPath(bundle), partPath(bundle, 0)];
  const parts = await Promise.all(
    files.map(async file => {
      const info = await stat(file, { bigint: true }).catch(() => undefined);
      return info === undefined ? '-' : `${info.ino}:${info.size}:${info.mtimeNs}`;
    }),
  );
  return parts.join(' ');
}
