/** What packages take on the disk. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Lockfile } from './lockfile.ts';

/** The size of a package's files in bytes, without nested packages and without programs that its install script downloads into `bin`. */
export function measurePackage(lock: Lockfile, folder: string): number {
  const remaining = new Set(['node_modules', ...(lock[folder]?.hasInstallScript ? ['bin'] : [])]);
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !remaining.has(name));
  return entries.reduce((sum, entry) => sum + bytesBelow(join(folder, entry.name), entry.isDirectory()), 0);
}

function bytesBelow(path: string, isFolder: boolean): number {
  if (!isFolder) return statSync(path).size;
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.reduce((sum, entry) => sum + bytesBelow(join(path, entry.name), entry.isDirectory()), 0);
}
