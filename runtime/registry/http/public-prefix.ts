/**
 * Whether a raw path is at or below one of the public ones, both as they were written. Only what can be read in one way is: a
 * path whose dots or doubled slashes another server would resolve may lead it out of the public part again.
 */
export function isBelowPublic(path: string, publicPaths: readonly string[]): boolean {
  return (
    publicPaths.some(above => above === '/' || path === above || path.startsWith(`${above}/`)) && !isAmbiguous(path)
  );
}

/** Dot segments in any writing, empty segments, and what some servers take for the end of a segment. */
const AMBIGUOUS = /\/\/|[\\;]|%5c|%3b|(?:\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i;

function isAmbiguous(path: string): boolean {
  return AMBIGUOUS.test(path);
}
