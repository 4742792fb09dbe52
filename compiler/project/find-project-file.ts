import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../usage-error.ts';
import { findFirst, findNearestToPaths, listFoldersAbove } from './nearest-file.ts';

export const PROJECT_FILE = 'lintel.yaml';

const MISNAMED = 'lintel.yml';

/**
 * The nearest `lintel.yaml` for the paths of a command, otherwise for the working directory.
 *
 * @param cwd absolute
 * @param top the folder above which nothing is searched; default: the root of the Git repository
 * @throws UsageError when the nearest is called `lintel.yml`, or two paths have different ones
 */
export function findProjectFile(paths: readonly string[], cwd: string, top?: string): string | undefined {
  const nearest = findNearestToPaths(paths, cwd, findProjectFileIn, '--config', top);
  return nearest ?? findFirst(listFoldersAbove(cwd, top), findProjectFileIn);
}

function findProjectFileIn(folder: string): string | undefined {
  const file = join(folder, PROJECT_FILE);
  if (existsSync(file)) return file;
  if (existsSync(join(folder, MISNAMED))) {
    throw new UsageError(
      `${join(folder, MISNAMED)} is not read: rename it to ${PROJECT_FILE}, or name it with --config`,
    );
  }
  return undefined;
}
