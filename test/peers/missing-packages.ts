/** Which packages of the workspaces are not installed: those of `test/peers/packages`, and those of the extension for VS Code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/process.ts';

interface Manifest {
  readonly version?: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** They have what `npm ci` leaves out. */
export const WORKSPACES: readonly string[] = ['editors/vscode', 'test/peers/packages'];

/**
 * Their names, sorted; one of another version than the pinned one counts as missing.
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
