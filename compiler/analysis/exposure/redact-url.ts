/** A URL without the parts that may be secret: user information and query. */
export function redactUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return '…';
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : '?…'}`;
}
