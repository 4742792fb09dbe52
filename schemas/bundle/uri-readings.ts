/** Percent-encoded characters that may as well be written as they are (RFC 3986, section 2.3), and those that part a path. */
const NEEDLESS = /%(?:2[d-f]|3\d|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9ae])/gi;

/** A dot or a slash that is encoded more than once, for servers that decode more than once: all but the last encoding. */
const ENCODED_AGAIN = /%(?:25)+(?=2[ef])/gi;

const ENCODED = /(?:%[0-9a-f]{2})+/gi;

/** What stands in front of the path, the path, and what follows it. */
const PARTS = /^((?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?)([^?#]*)(.*)$/is;

/**
 * What a URI is to servers that read it otherwise: those that bring URLs into their usual form, as the official SDKs do before they
 * look for the resource, and those that decode them before. `doc:///public/../private` leads them to `doc:///private`. What a policy
 * says of the text alone would say nothing of what they read.
 *
 * Characters that need no encoding but have one, or the reverse, stay as they are spelt here: they part nothing.
 *
 * @returns other texts than the URI itself; most have none
 */
export function uriReadings(uri: string): readonly string[] {
  const decoded = uri.replace(ENCODED_AGAIN, '%').replace(NEEDLESS, decodeURIComponent);
  const slashed = [uri, decoded].flatMap(text => [text, withoutBackslashes(text)]);
  const texts = slashed.flatMap(text => [text, withoutEmptySegments(text)]);
  const usual = texts.map(text => URL.parse(text)?.href ?? text);
  const readings = new Set(usual.flatMap(text => [text, withoutDots(text)]).map(text => respelt(text, uri)));
  readings.delete(uri);
  return [...readings];
}

/** On Windows a backslash parts a path as a slash does. `URL` reads it so where the scheme is one of the web or `file`. */
function withoutBackslashes(text: string): string {
  if (!text.includes('\\')) return text;
  const [, before = '', path = '', behind = ''] = PARTS.exec(text) ?? [];
  return before + path.replaceAll('\\', '/') + behind;
}

const DOTS = /(?:^|\/)\.{1,2}(?:\/|$)/;

/** To `URL`, `..` behind two slashes leads out of the nothing between them. In paths of files slashes in a row are one. */
function withoutEmptySegments(text: string): string {
  const [, before = '', path = '', behind = ''] = PARTS.exec(text) ?? [];
  return DOTS.test(path) ? before + path.replace(/\/{2,}/g, '/') + behind : text;
}

/** Servers with schemes of their own, whose paths `URL` leaves as they are, may take them for paths all the same. */
function withoutDots(text: string): string {
  const [, before = '', path = '', behind = ''] = PARTS.exec(text) ?? [];
  if (!DOTS.test(path)) return text;
  const kept: string[] = [];
  const segments = path.split('/');
  segments.forEach((segment, at) => {
    if (segment === '..') {
      if (kept.length > (path.startsWith('/') ? 1 : 0)) kept.pop();
    } else if (segment !== '.') kept.push(segment);
    // What a dot leads to is a folder.
    if (/^\.{1,2}$/.test(segment) && at === segments.length - 1) kept.push('');
  });
  return before + kept.join('/') + behind;
}

/** With each character as the URI has it: encoded or not. */
function respelt(text: string, uri: string): string {
  return text.replace(ENCODED, run => {
    if (uri.includes(run)) return run;
    try {
      return [...decodeURIComponent(run)].map(one => (uri.includes(one) ? one : encodeURIComponent(one))).join('');
    } catch {
      return run; // No UTF-8.
    }
  });
}
