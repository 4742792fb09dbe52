/** A URL as it may be shown: what could hold a secret, user information and the query, is left out. */
export function redactUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return '…';
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : '?…'}`;
}
