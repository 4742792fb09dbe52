import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../usage-error.ts';

export const PROJECT_FILE = 'lintel.yaml';

const MISNAMED = 'lintel.yml';

/**
 * The nearest `lintel.yaml` at or above a folder, but not above the root of its Git repository: what lies there is none of
 * the project's.
 *
 * @param folder absolute
 * @throws UsageError when the nearest is called `lintel.yml`
 */
export function findProjectFile(folder: string): string | undefined {
  const file = join(folder, PROJECT_FILE);
  if (existsSync(file)) return file;
  if (existsSync(join(folder, MISNAMED))) {
    throw new UsageError(
      `${join(folder, MISNAMED)} is not read: rename it to ${PROJECT_FILE}, or name it with --config`,
    );
  }
  const parent = dirname(folder);
  return parent === folder || existsSync(join(folder, '.git')) ? undefined : findProjectFile(parent);
}
