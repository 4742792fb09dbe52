import { realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Why a file of somebody else's folder must not be touched; undefined when it may. What is not there is judged by the folder that it
 * would be in: even whether something exists outside is nobody's to know.
 *
 * @param folder that nothing may lead out of; undefined for no such folder
 */
export function leadsOut(absolute: string, folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  if (!isWithin(path.resolve(folder), absolute)) return 'it is outside of the source folder';
  return isWithin(realpathSync(folder), nearestReal(absolute)) ? undefined : 'the link leads out of the source folder';
}

/** Whether a path is a folder or lies in it; both absolute. Links are not looked at. */
export function isWithin(folder: string, absolute: string): boolean {
  const relative = path.relative(folder, absolute);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function nearestReal(absolute: string): string {
  try {
    return realpathSync(absolute);
  } catch {
    return nearestReal(path.dirname(absolute));
  }
}
