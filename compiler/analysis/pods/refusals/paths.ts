/** Paths within volumes. */

/** Why a path that must stay inside a volume is invalid. */
export function findInnerPathProblem(path: string): string | undefined {
  if (path.startsWith('/')) return `${JSON.stringify(path)} must be a relative path`;
  return path.split('/').includes('..') ? `${JSON.stringify(path)} must not contain ".."` : undefined;
}

/** Does the same as `findInnerPathProblem` for a file: Kubernetes reserves names that start with two dots. */
export function findFilePathProblem(path: string): string | undefined {
  return (
    findInnerPathProblem(path) ??
    (path.startsWith('..') ? `${JSON.stringify(path)} must not start with ".."` : undefined)
  );
}
