const KNOWN: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
]);

/** A method as the semantic conventions for HTTP name it: all unknown methods get one name, because clients may invent any number. */
export function normalizeMethod(method = ''): string {
  return KNOWN.has(method) ? method : '_OTHER';
}
