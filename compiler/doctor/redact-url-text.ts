import { redactUrl } from '../analysis/exposure/redact-url.ts';

/** A URL as a server wrote it, where a slash counts; without what could hold a secret. */
export function redactUrlText(text: string): string {
  const url = URL.parse(text);
  if (url === null) return '…';
  const isPlain = url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return isPlain ? text : redactUrl(text);
}
