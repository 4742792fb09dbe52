import { existsSync, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../usage-error.ts';

/** The error message when files cannot be written: what is in the way, and what to do. */
export function createWriteError(target: string, error: unknown): UsageError {
  return new UsageError(
    `cannot write to ${target}: ${describeObstacle(error as NodeJS.ErrnoException & { dest?: string })}`,
  );
}

function describeObstacle({ code, path, dest, message }: NodeJS.ErrnoException & { dest?: string }): string {
  const file = dest ?? path;
  if (code === undefined || file === undefined) return message;
  // The failing path is often below the path that causes the problem.
  const blamed = findNearestExisting(file);
  // A link to nothing is checked before the error's code, because the system's code for it is misleading.
  if (exists(blamed) && !existsSync(blamed))
    return `${blamed} is a link to nothing; give another path, or put the link right`;
  switch (code) {
    case 'ENOTDIR':
    case 'EEXIST':
      return `${blamed} is a file, not a folder; give another path, or move it away`;
    case 'EISDIR':
      return `${blamed} is a folder, not a file; give another path, or move it away`;
    case 'EACCES':
    case 'EPERM':
      return `no permission to write to ${blamed}; give another path, or change who may write there`;
    case 'ENOENT':
      // Missing folders are created by the code above; where the system refuses that, as in `/proc`, nothing can be created.
      return `nothing can be created in ${blamed}; give another path`;
    case 'EROFS':
      return `${blamed} is on a file system that is read-only; give another path`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `no space is left for ${blamed}; make some, or give another path`;
    case 'ELOOP':
      return `links lead in a circle at ${blamed}; give another path`;
    case 'ENAMETOOLONG':
      return 'a name in the path is too long; give a shorter one';
    default:
      return message;
  }
}

function findNearestExisting(path: string): string {
  const parent = dirname(path);
  return parent === path || exists(path) ? path : findNearestExisting(parent);
}

/** True also for a dangling link. */
function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
