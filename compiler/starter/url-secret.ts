/** What of a URL may be a secret. Specs are committed, so when in doubt it is one. */
import { isHarmless } from './harmless.ts';

/** Longer parts of a path with letters and digits are keys more often than words. */
const LEAST_KEY = 16;

/**
 * Why a URL cannot stand in a spec, without repeating the part that is the reason; undefined where it can. What follows `#` is never
 * sent, and not looked at.
 *
 * @param plain names of query parameters that a person says are no secrets, and `path`
 */
export function urlSecret(text: string, plain: ReadonlySet<string>): string | undefined {
  if (/\$\{|\$[A-Za-z_]|\{\{/.test(text)) return 'its URL has a variable, which a spec cannot have: write the URL out';
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'its URL is not a complete one of http or https';
  if (url.username !== '' || url.password !== '') return 'its URL holds credentials: send them in a header instead';
  for (const [name, value] of url.searchParams) {
    // Without a value the name is all that there is.
    if (!plain.has(name) && (value === '' || !isHarmless(value)))
      return `the query parameter ${shownName(name, value)} of its URL may be a secret: send it in a header instead`;
  }
  if (!plain.has('path') && url.pathname.split('/').some(looksLikeKey))
    return 'a part of the path of its URL looks like a key';
  return undefined;
}

function looksLikeKey(part: string): boolean {
  return part.length >= LEAST_KEY && /\d/.test(part) && /[a-z]/i.test(part);
}

/** A key may stand in place of a name, as in `?abc123`. */
function shownName(name: string, value: string): string {
  return value !== '' && /^[A-Za-z][A-Za-z_.-]{0,30}$/.test(name) ? name : '(its name may be a secret as well)';
}
