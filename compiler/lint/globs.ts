/** Glob patterns for paths with forward slashes: `*` and `?` stay within a name, `**` spans folders, `{a,b}` is a choice. */

const MAGIC = /[*?{]/;

/** Whether a path matches a pattern, or is below a matching one. */
export function createMatcher(pattern: string): (path: string) => boolean {
  if (tidyPattern(pattern) === '.') return () => true;
  const parts = parseParts(tidyPattern(pattern));
  return path => [...advanceThrough(parts, path, new Set([0]))].some(end => end === path.length || path[end] === '/');
}

/** Where to search for matches: the folders of the pattern before the first wildcard. */
export function findGlobBase(pattern: string): string {
  const names = tidyPattern(pattern).split('/');
  const magic = names.findIndex(name => MAGIC.test(name));
  return magic === -1 ? tidyPattern(pattern) : names.slice(0, magic).join('/') || '.';
}

function tidyPattern(pattern: string): string {
  return pattern.replace(/^(\.\/)+(?=.)/, '').replace(/(?<=.)\/+$/, '');
}

/** A wildcard, literal text, or a choice of patterns. */
type GlobPart =
  | '**/'
  | '**'
  | '*'
  | '?'
  | { readonly text: string }
  | { readonly choice: readonly (readonly GlobPart[])[] };

const WILDCARDS: readonly string[] = ['**/', '**', '*', '?'];

function parseParts(pattern: string): readonly GlobPart[] {
  return [...pattern.matchAll(/\{([^{}]*)\}|\*\*\/|\*\*|[*?]|[^*?{]+|\{/g)].map(([text, choice]): GlobPart => {
    if (choice !== undefined) return { choice: choice.split(',').map(parseParts) };
    return WILDCARDS.includes(text) ? (text as '*') : { text };
  });
}

/**
 * The positions after the matching parts of a pattern, given the positions before them. All alternatives are followed at once: a
 * backtracking expression would take exponential time for a dozen wildcards.
 */
function advanceThrough(parts: readonly GlobPart[], path: string, starts: ReadonlySet<number>): ReadonlySet<number> {
  return parts.reduce((before, part) => stepThrough(part, path, before), starts);
}

function stepThrough(part: GlobPart, path: string, starts: ReadonlySet<number>): ReadonlySet<number> {
  const ends = new Set<number>();
  for (const start of starts) {
    if (typeof part === 'object' && 'choice' in part) {
      for (const parts of part.choice) for (const end of advanceThrough(parts, path, new Set([start]))) ends.add(end);
    } else if (typeof part === 'object') {
      if (path.startsWith(part.text, start)) ends.add(start + part.text.length);
    } else if (part === '?') {
      if (start < path.length && path[start] !== '/') ends.add(start + 1);
    } else {
      const isWithinName = part === '*';
      for (let at = start; at <= path.length; at += 1) {
        const isEnd = part !== '**/' || at === start || path[at - 1] === '/';
        // An earlier start has already reached this position, and everything that follows from it.
        if (at > start && part !== '**/' && ends.has(at)) break;
        if (isEnd) ends.add(at);
        if (path[at] === '/' && (isWithinName || (part === '**/' && at === start))) break;
      }
    }
  }
  return ends;
}
