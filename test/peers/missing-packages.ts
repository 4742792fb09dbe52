/** Which packages of `test/peers/packages` are not installed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/process.ts';

interface Manifest {
  readonly version?: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Their names, sorted; one of another version than the pinned one counts as missing.
 *
 * @param modules the folder of installed packages
 */
export function missingPackages(modules: string = join(ROOT, 'node_modules')): readonly string[] {
  const pinned = readManifest(join(ROOT, 'test/peers/packages'))?.devDependencies ?? {};
  return Object.entries(pinned).flatMap(([name, version]) =>
    readManifest(join(modules, name))?.version === version ? [] : [name],
  );
}

function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
}
