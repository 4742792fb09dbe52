/**
 * `npm run dependencies:size`: the disk space that `npm ci` takes for a user, without packages that only workspaces need. On an older Node,
 * `build/node` is included.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface InstallSize {
  readonly packages: number;
  /** The size of all files, programs for this machine included. */
  readonly bytes: number;
}

/** Asks npm which packages of the lockfile `npm ci` installs, and adds up the sizes of those that exist here. */
export function installed(): InstallSize {
  const args = ['ls', '--all', '--parseable', '--package-lock-only'];
  const listed = execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 }).split('\n');
  // Packages for other systems are in the list, but not installed.
  const folders = [...new Set(listed.filter(path => path.includes('/node_modules/')))].filter(isFolder);
  return { packages: folders.length, bytes: folders.reduce((sum, folder) => sum + bytesBelow(folder), 0) };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The size of a package in bytes. Nested packages are not counted, since they are listed themselves. */
function bytesBelow(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .reduce((sum, entry) => sum + countBytes(join(folder, entry.name), entry.isDirectory()), 0);
}

function countBytes(path: string, isFolder: boolean): number {
  return isFolder ? bytesBelow(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
}

if (import.meta.main) {
  const { packages, bytes } = installed();
  process.stdout.write(`npm ci installs ${packages} packages with ${(bytes / 1e6).toFixed(0)} MB\n`);
}
