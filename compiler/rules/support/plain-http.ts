/** Hosts of the machine itself: requests to them cross no network. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether this is an http URL. */
export function isPlainHttp(text: string): boolean {
  return URL.parse(text)?.protocol === 'http:';
}

/** Whether this is an http URL of another machine. */
export function isExposedHttp(text: string): boolean {
  return isPlainHttp(text) && !isLoopback(text);
}

/** Whether this is a URL of the machine itself. */
export function isLoopback(text: string): boolean {
  return LOOPBACK.test(URL.parse(text)?.hostname.toLowerCase() ?? '');
}
