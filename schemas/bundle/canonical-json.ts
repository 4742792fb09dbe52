/**
 * JSON Canonicalization Scheme (RFC 8785): one value, one text. Members are sorted by UTF-16 code units and numbers are printed as
 * ECMAScript prints them, which is what `JSON.stringify` does for scalars.
 *
 * @throws TypeError for values that JSON cannot represent: undefined members, functions, NaN, infinities, lone surrogates. `JSON.stringify`
 *   leaves such a member out, and the signature would then cover another value.
 * @see https://www.rfc-editor.org/rfc/rfc8785
 */
export function formatCanonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`canonical JSON cannot hold the number ${value}`);
    return JSON.stringify(value);
  }
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('canonical JSON cannot hold a string with a lone surrogate');
    return JSON.stringify(value);
  }
  // `map` would skip a hole, and the text would not be JSON.
  if (Array.isArray(value)) return `[${Array.from(value, item => formatCanonicalJson(item)).join(',')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value as Record<string, unknown>)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${formatCanonicalJson(key)}:${formatCanonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  throw new TypeError(`canonical JSON cannot hold a value of type ${typeof value}`);
}
