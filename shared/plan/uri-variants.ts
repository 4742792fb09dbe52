/** Percent-encoded characters that need no encoding (RFC 3986, section 2.3), and those that separate path segments. */
const NEEDLESS = /%(?:2[d-f]|3\d|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9ae])/gi;

/** A dot or slash that is encoded more than once, without its innermost encoding; some servers decode more than once. */
const ENCODED_AGAIN = /%(?:25)+(?=2[ef])/gi;

const ENCODED = /(?:%[0-9a-f]{2})+/gi;

/** The part before the path, the path, and the part after it. */
const PARTS = /^((?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?)([^?#]*)(.*)$/is;

/**
 * Other URIs that a server may read in place of the given one. Some servers normalize URLs, as the official SDKs do before they look up a
 * resource; others decode them first. They read `doc:///public/../private` as `doc:///private`, so a policy has to hold for that URI too.
 *
 * Differences in encoding that do not change path segments are kept.
 *
 * @returns the texts that differ from the URI; for most URIs there are none
 */
export function listUriVariants(uri: string): readonly string[] {
  const decoded = uri.replace(ENCODED_AGAIN, '%').replace(NEEDLESS, decodeURIComponent);
  const slashed = [uri, decoded].flatMap(text => [text, withoutBackslashes(text)]);
  const texts = slashed.flatMap(text => [text, withoutEmptySegments(text)]);
  const usual = texts.map(text => URL.parse(text)?.href ?? text);
  const readings = new Set(usual.flatMap(text => [text, withoutDots(text)]).map(text => respellUri(text, uri)));
  readings.delete(uri);
  return [...readings];
}

/** On Windows a backslash separates path segments as a slash does. `URL` treats it so for web schemes and `file`. */
function withoutBackslashes(text: string): string {
  if (!text.includes('\\')) return text;
  const [, before = '', path = '', behind = ''] = PARTS.exec(text) ?? [];
  return before + path.replaceAll('\\', '/') + behind;
}

const DOTS = /(?:^|\/)\.{1,2}(?:\/|$)/;

/** `URL` lets `..` remove the empty segment between two slashes. File systems treat consecutive slashes as one. */
function withoutEmptySegments(text: string): string {
  const [, before = '', path = '', behind = ''] = PARTS.exec(text) ?? [];
  return DOTS.test(path) ? before + path.replace(/\/{2,}/g, '/') + behind : text;
}

/** `URL` does not normalize paths of non-web schemes, but servers that use such schemes may. */
function withoutDots(text: string): string {
  const [, before = '', path = '', behind = ''] = PARTS.exec(text) ?? [];
  if (!DOTS.test(path)) return text;
  const variants: string[] = [];
  const segments = path.split('/');
  segments.forEach((segment, at) => {
    if (segment === '..') {
      if (variants.length > (path.startsWith('/') ? 1 : 0)) variants.pop();
    } else if (segment !== '.') variants.push(segment);
    // A path that ends in a dot segment names a folder.
    if (/^\.{1,2}$/.test(segment) && at === segments.length - 1) variants.push('');
  });
  return before + variants.join('/') + behind;
}

/** Spells each character as the URI does, encoded or not. */
function respellUri(text: string, uri: string): string {
  return text.replace(ENCODED, run => {
    if (uri.includes(run)) return run;
    try {
      return [...decodeURIComponent(run)]
        .map(value => (uri.includes(value) ? value : encodeURIComponent(value)))
        .join('');
    } catch {
      return run; // Invalid UTF-8.
    }
  });
}
