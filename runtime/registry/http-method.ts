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

/** A method as the semantic conventions for HTTP name it: clients may invent others without number. */
export function httpMethod(method = ''): string {
  return KNOWN.has(method) ? method : '_OTHER';
}
