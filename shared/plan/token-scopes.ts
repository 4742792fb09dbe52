/**
 * The scopes of a token: `scope`, a space-separated text (RFC 8693, section 4.2), and `scp`, a list or such a text, which some providers use.
 */
export function readScopes(claims: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  return new Set([claims.scope, claims.scp].flatMap(toList));
}

function toList(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ').filter(element => element !== '');
  return Array.isArray(value) ? value.filter(element => typeof element === 'string') : [];
}
