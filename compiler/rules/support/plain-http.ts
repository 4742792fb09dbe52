/** Hosts that are the machine itself: what is sent there crosses no network. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Is this an http URL? */
export function isPlainHttp(text: string): boolean {
  return URL.parse(text)?.protocol === 'http:';
}

/** Is this an http URL whose host is not the machine itself? */
export function isExposedHttp(text: string): boolean {
  return isPlainHttp(text) && !isLoopback(text);
}

/** Is this a URL whose host is the machine itself? */
export function isLoopback(text: string): boolean {
  return LOOPBACK.test(URL.parse(text)?.hostname.toLowerCase() ?? '');
}
