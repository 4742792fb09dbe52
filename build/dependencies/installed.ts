/** `npm run dependencies:size`: what `npm ci` puts on the disk of a user: all but what the workspaces need. On an older Node, `build/node` comes with it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface Installed {
  readonly packages: number;
  /** The size of their files, the programs for this machine included. */
  readonly bytes: number;
}

/** Asks npm which packages of the lockfile `npm ci` brings, and adds up those that are installed. */
export function installed(): Installed {
  const args = ['ls', '--all', '--parseable', '--package-lock-only'];
  const listed = execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 }).split('\n');
  // Those for other systems are not there.
  const folders = [...new Set(listed.filter(path => path.includes('/node_modules/')))].filter(isFolder);
  return { packages: folders.length, bytes: folders.reduce((sum, folder) => sum + bytesBelow(folder), 0) };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Without packages inside it, which are listed themselves. */
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
