/** Why a file cannot be read, in words, without its path: output must not depend on the location of a checkout. */
export function describeFileError(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ENOENT':
      return 'it does not exist, or is a link to a file that does not exist';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOTDIR':
      return 'a part of its path is a file, not a folder';
    case 'ELOOP':
      return 'links lead in a circle';
    default:
      return code ?? 'unknown reason';
  }
}
