/**
 * Whether a raw path is at or below one of the public paths, both as they were written. Only unambiguous paths count: another server could
 * resolve dots or doubled slashes, and lead the request out of the public part.
 */
export function isBelowPublic(path: string, publicPaths: readonly string[]): boolean {
  return (
    publicPaths.some(above => above === '/' || path === above || path.startsWith(`${above}/`)) && !isAmbiguous(path)
  );
}

/** Dot segments in any spelling, empty segments, and characters that some servers treat as the end of a segment. */
const AMBIGUOUS = /\/\/|[\\;]|%5c|%3b|(?:\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i;

function isAmbiguous(path: string): boolean {
  return AMBIGUOUS.test(path);
}
