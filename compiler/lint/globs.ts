/** Patterns for paths with forward slashes: `*` and `?` stay within a name, `**` spans folders, `{a,b}` is a choice. */

const MAGIC = /[*?{]/;

/** Whether a path is one of those that a pattern names, or lies below one. */
export function createMatcher(pattern: string): (path: string) => boolean {
  if (tidied(pattern) === '.') return () => true;
  const parts = parseParts(tidied(pattern));
  return path => [...after(parts, path, new Set([0]))].some(end => end === path.length || path[end] === '/');
}

/** Where to look for what a pattern names: its folders before the first that is no plain name. */
export function findGlobBase(pattern: string): string {
  const names = tidied(pattern).split('/');
  const magic = names.findIndex(name => MAGIC.test(name));
  return magic === -1 ? tidied(pattern) : names.slice(0, magic).join('/') || '.';
}

function tidied(pattern: string): string {
  return pattern.replace(/^(\.\/)+(?=.)/, '').replace(/(?<=.)\/+$/, '');
}

/** A wildcard, a text that stands for itself, or a choice of patterns. */
type Part = '**/' | '**' | '*' | '?' | { readonly text: string } | { readonly choice: readonly (readonly Part[])[] };

const WILDCARDS: readonly string[] = ['**/', '**', '*', '?'];

function parseParts(pattern: string): readonly Part[] {
  return [...pattern.matchAll(/\{([^{}]*)\}|\*\*\/|\*\*|[*?]|[^*?{]+|\{/g)].map(([text, choice]): Part => {
    if (choice !== undefined) return { choice: choice.split(',').map(parseParts) };
    return WILDCARDS.includes(text) ? (text as '*') : { text };
  });
}

/**
 * Where a path may be after parts of a pattern, from where it may be before. All ways are followed at once: an expression
 * that tries them one after the other takes ages for a pattern of a dozen wildcards.
 */
function after(parts: readonly Part[], path: string, starts: ReadonlySet<number>): ReadonlySet<number> {
  return parts.reduce((before, part) => step(part, path, before), starts);
}

function step(part: Part, path: string, starts: ReadonlySet<number>): ReadonlySet<number> {
  const ends = new Set<number>();
  for (const start of starts) {
    if (typeof part === 'object' && 'choice' in part) {
      for (const parts of part.choice) for (const end of after(parts, path, new Set([start]))) ends.add(end);
    } else if (typeof part === 'object') {
      if (path.startsWith(part.text, start)) ends.add(start + part.text.length);
    } else if (part === '?') {
      if (start < path.length && path[start] !== '/') ends.add(start + 1);
    } else {
      const isWithinName = part === '*';
      for (let at = start; at <= path.length; at += 1) {
        const isEnd = part !== '**/' || at === start || path[at - 1] === '/';
        // From a place that another way led to, the rest is known.
        if (at > start && part !== '**/' && ends.has(at)) break;
        if (isEnd) ends.add(at);
        if (path[at] === '/' && (isWithinName || (part === '**/' && at === start))) break;
      }
    }
  }
  return ends;
}
