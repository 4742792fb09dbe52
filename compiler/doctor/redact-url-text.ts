import { redactUrl } from '../analysis/exposure/redact-url.ts';

/** A URL exactly as the server wrote it, since slashes matter, but without parts that may be secret. */
export function redactUrlText(text: string): string {
  const url = URL.parse(text);
  if (url === null) return '…';
  const isPlain = url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return isPlain ? text : redactUrl(text);
}
