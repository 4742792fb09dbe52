/** Packages that authors of programs install: other users do not need them, so Lintel does not depend on them. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * A package resolved from the program's folder, otherwise from Lintel's; undefined when neither has it.
 * @param folder of the program; absolute
 */
export function findPeerFile(name: string, folder: string): string | undefined {
  for (const from of [join(folder, 'program.js'), import.meta.url]) {
    try {
      return createRequire(from).resolve(name);
    } catch (error) {
      if (!/^(?:MODULE_NOT_FOUND|ERR_)/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return undefined;
}

/** The nearest folder with a `package.json` or `cdk8s.yaml`, searching upwards; the folder itself when there is none. */
export function findProjectFolder(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (['package.json', 'cdk8s.yaml'].some(name => existsSync(join(at, name)))) return at;
    if (dirname(at) === at) return folder;
  }
}
