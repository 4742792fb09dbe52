/** Paths within volumes. */

/** What is wrong with a path that must stay inside. */
export function innerPathProblem(path: string): string | undefined {
  if (path.startsWith('/')) return `${JSON.stringify(path)} must be a relative path`;
  return path.split('/').includes('..') ? `${JSON.stringify(path)} must not contain ".."` : undefined;
}

/** As `innerPathProblem`, of a file: names that start with two dots are Kubernetes' own. */
export function filePathProblem(path: string): string | undefined {
  return (
    innerPathProblem(path) ?? (path.startsWith('..') ? `${JSON.stringify(path)} must not start with ".."` : undefined)
  );
}
