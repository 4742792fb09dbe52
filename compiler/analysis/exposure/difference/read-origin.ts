/** Scheme, host and port; the whole text when it is not a URL with a host, such as `user@host:path`. */
export function readOrigin(text: string): string {
  const url = URL.parse(text);
  // `URL.origin` is the text "null" for a scheme that it does not know, such as ssh.
  return url === null || url.host === '' ? text : `${url.protocol}//${url.host}`;
}
