/** Which packages of the workspaces are missing: those of `test/peers/packages`, and those of the VS Code extension. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/process.ts';

interface Manifest {
  readonly version?: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The workspaces that `npm ci` leaves out. */
export const WORKSPACES: readonly string[] = ['editors/vscode', 'test/peers/packages'];

/**
 * Their names, sorted; a package with another version than the pinned one counts as missing.
 *
 * @param modules the folder of installed packages
 */
export function missingPackages(modules: string = join(ROOT, 'node_modules')): readonly string[] {
  return WORKSPACES.flatMap(folder => Object.entries(readManifest(join(ROOT, folder))?.devDependencies ?? {}))
    .filter(([name, version]) => readManifest(join(modules, name))?.version !== version)
    .map(([name]) => name)
    .sort();
}

function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

interface Locked {
  readonly link?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

/** The number of missing packages of the lockfile: the missing ones with all their dependencies. */
export function missingFromLock(root: string = ROOT): number {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const isForThis = ({ os, cpu }: Locked) => allows(os, process.platform) && allows(cpu, process.arch);
  return Object.entries(packages).filter(
    ([path, locked]) =>
      path.includes('node_modules/') && !locked.link && isForThis(locked) && !existsSync(join(root, path)),
  ).length;
}

/** @param list names, or names prefixed with `!`, in npm's syntax */
function allows(list: readonly string[] | undefined, name: string): boolean {
  if (list === undefined) return true;
  return list.some(one => one.startsWith('!')) ? !list.includes(`!${name}`) : list.includes(name);
}
