/** What of a URL may be a secret. Specs are committed, so when in doubt it is one. */
import { isHarmless } from './harmless.ts';

/** Longer parts of a path with letters and digits are keys more often than words. */
const LEAST_KEY = 16;

/** Letters that words of a name such as `SharedTeamTools` have at least, on average. */
const LEAST_WORD = 4;

/** The word that lets a path stand as it is. */
const PATH = 'path';

/** A key may stand in place of a name, as in `?abc123`. */
const HIDDEN = '(its name may be a secret as well)';

export interface UrlProblem {
  readonly reason: string;
  /** By which a person may say that the part is no secret; undefined where that would show it, or would not help. */
  readonly plainName?: string;
}

/**
 * Why a URL cannot stand in a spec, without repeating the part that is the reason; undefined where it can. What follows `#` is never
 * sent, and not looked at.
 *
 * @param plain names of query parameters that a person says are no secrets, and `path`
 */
export function findUrlProblem(text: string, plain: ReadonlySet<string>): UrlProblem | undefined {
  if (/\$\{|\$[A-Za-z_]|\{\{/.test(text))
    return { reason: 'its URL has a variable, which a spec cannot have: write the URL out' };
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    return { reason: 'its URL is not a complete one of http or https' };
  if (url.username !== '' || url.password !== '')
    return { reason: 'its URL holds credentials: send them in a header instead' };
  for (const [name, value] of url.searchParams) {
    // Without a value the name is all that there is.
    if (plain.has(name) || (value !== '' && isHarmless(value))) continue;
    const isShown = value !== '' && /^[A-Za-z][A-Za-z_.-]{0,30}$/.test(name);
    const reason = `the query parameter ${isShown ? name : HIDDEN} of its URL may be a secret: send it in a header instead`;
    return { reason, ...(isShown && { plainName: name }) };
  }
  if (!plain.has(PATH) && url.pathname.split('/').some(looksLikeKey))
    return { reason: 'a part of the path of its URL looks like a key', plainName: PATH };
  return undefined;
}

/** The reason alone. */
export function urlSecret(text: string, plain: ReadonlySet<string>): string | undefined {
  return findUrlProblem(text, plain)?.reason;
}

/** Letters with digits, or small and capital letters in no order that words have. */
export function looksLikeKey(part: string): boolean {
  if (part.length < LEAST_KEY) return false;
  const letters = part.match(/[A-Za-z]+/g) ?? [];
  return (letters.length > 0 && /\d/.test(part)) || letters.some(isNoName);
}

function isNoName(letters: string): boolean {
  const words = letters.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  return letters.length >= LEAST_KEY && letters.length < LEAST_WORD * words.length;
}
