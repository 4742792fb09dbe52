import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLE_FILE, INDEX_FILE, toCompressedPath, toPartPath } from '#schemas';

/** Polling interval of the watched path; milliseconds. */
const POLL_MS = 200;

/** An unusable bundle is loaded again after this many polls, because some of its files may have arrived late. */
const CHECKS_BEFORE_RETRY = 10;

/**
 * Calls `changed` on the first poll, whenever the bundle may have changed, and periodically while `changed` returns false. It polls because
 * network file systems lose notifications, and because a mounted ConfigMap changes by a symbolic link two levels up.
 *
 * @returns a function that stops watching and resolves when a running call has ended
 */
export function watchBundle(path: string, changed: () => Promise<boolean>): () => Promise<void> {
  let last: string | undefined;
  let checksToRetry = Number.POSITIVE_INFINITY;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const check = async (): Promise<void> => {
    const current = await computeFingerprint(path);
    checksToRetry--;
    if (current !== last || checksToRetry <= 0) {
      checksToRetry = (await changed()) ? Number.POSITIVE_INFINITY : CHECKS_BEFORE_RETRY;
    }
    last = current;
    if (!stopped) timer = setTimeout(poll, POLL_MS).unref();
  };
  let checking = check();
  const poll = (): void => {
    checking = check();
  };
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await checking;
  };
}

/** Inode, size and modification time of the relevant files: the path itself, and an index or bundle inside of it, compressed or not. */
async function computeFingerprint(path: string): Promise<string> {
  const bundle = join(path, BUNDLE_FILE);
  const files = [path, join(path, INDEX_FILE), bundle, toCompressedPath(bundle), toPartPath(bundle, 0)];
  const parts = await Promise.all(
    files.map(async file => {
      const info = await stat(file, { bigint: true }).catch(() => undefined);
      return info === undefined ? '-' : `${info.ino}:${info.size}:${info.mtimeNs}`;
    }),
  );
  return parts.join(' ');
}
