import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Number of bundles that stay for each gateway or registry server, for rollbacks. */
const MAX_BUNDLES = 5;

/**
 * Removes the oldest bundles of a folder.
 * @param used folders that are not removed at any age
 */
export async function removeOldBundles(folder: string, used: ReadonlySet<string>): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const bundles = await Promise.all(
    names
      .filter(name => name.startsWith('sha256-'))
      .map(async name => ({ name, mtimeMs: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const newestFirst = bundles.toSorted(
    (a, b) => Number(used.has(b.name)) - Number(used.has(a.name)) || b.mtimeMs - a.mtimeMs,
  );
  for (const { name } of newestFirst.slice(MAX_BUNDLES)) {
    if (!used.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}
