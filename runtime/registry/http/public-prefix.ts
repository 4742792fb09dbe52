/**
 * Whether a raw path is one of the public paths or below one of them. Both are compared as they were written, and an ambiguous path is not public:
 * a proxy could resolve dots or doubled slashes in it to a path that is not public.
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
