/** Detects secrets in URLs. Specs are committed, so a doubtful part counts as secret. */
import { isHarmless } from './harmless.ts';

/** Longer path segments of letters and digits are usually keys. */
const LEAST_KEY = 16;

/** Minimum average word length in a name such as `SharedTeamTools`. */
const LEAST_WORD = 4;

/** The value of the option `--plain` that declares the path of a URL not to be secret. */
const PATH = 'path';

/** A key may be in place of a parameter's name, as in `?abc123`. */
const HIDDEN = '(its name may be a secret as well)';

export interface UrlProblem {
  readonly reason: string;
  /** The name with which an operator can declare the part not to be secret; undefined when that would reveal it or have no effect. */
  readonly plainName?: string;
}

/**
 * Why a URL must not be in a spec, without repeating the offending part; undefined when it may. The fragment is never sent, so it is not
 * checked.
 *
 * @param plain names of query parameters, or `path`, that the operator declared not to be secret
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
    // Without a value, the name itself may be the key.
    if (plain.has(name) || (value !== '' && isHarmless(value))) continue;
    const isShown = value !== '' && /^[A-Za-z][A-Za-z_.-]{0,30}$/.test(name);
    const reason = `the query parameter ${isShown ? name : HIDDEN} of its URL may be a secret: send it in a header instead`;
    return { reason, ...(isShown && { plainName: name }) };
  }
  if (!plain.has(PATH) && url.pathname.split('/').some(looksLikeKey))
    return { reason: 'a part of the path of its URL looks like a key', plainName: PATH };
  return undefined;
}

/** Does the same as `findUrlProblem`, and returns the reason alone. */
export function findUrlSecret(text: string, plain: ReadonlySet<string>): string | undefined {
  return findUrlProblem(text, plain)?.reason;
}

/** Letters mixed with digits, or capitals in unusual positions. */
export function looksLikeKey(part: string): boolean {
  if (part.length < LEAST_KEY) return false;
  const letters = part.match(/[A-Za-z]+/g) ?? [];
  return (letters.length > 0 && /\d/.test(part)) || letters.some(isNoName);
}

function isNoName(letters: string): boolean {
  const words = letters.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  return letters.length >= LEAST_KEY && letters.length < LEAST_WORD * words.length;
}
