/**
 * The guard against DNS rebinding: a web page must not reach a gateway through its visitor's browser.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */

/** Where a request came in, and the host it was meant for. */
export interface HostCheck {
  /** The Host header. */
  readonly host: string | undefined;
  /** The address the connection was accepted on. */
  readonly localAddress: string | undefined;
  /** Origins that are allowed anyway, such as `https://gateway.example.com` in front of a proxy on the same machine. */
  readonly allowed?: readonly string[];
}

/**
 * Whether the request may go on. Only browsers send an Origin: without it there is nothing to guard. A page may call the host it
 * came from. On a loopback address that is not enough: after rebinding, Origin and Host both name the attacker's domain, so the
 * origin has to be a loopback host as well.
 */
export function isOriginAllowed(origin: string | undefined, { host, localAddress, allowed }: HostCheck): boolean {
  if (origin === undefined) return true;
  if (allowed?.includes(origin)) return true;
  const url = URL.parse(origin);
  // An opaque origin ("null") has no host to compare; a URL with more than an origin in it is not one.
  if (url === null || url.origin !== origin.toLowerCase()) return false;
  if (isLoopbackAddress(localAddress)) return isLoopbackHost(url.hostname);
  // Parsing both with one scheme drops a default port on either side.
  return host !== undefined && URL.parse(`${url.protocol}//${host}`)?.host === url.host;
}

/**
 * Whether the request may go on as far as its Host goes. On a loopback address it has to be a loopback host, or that of an
 * allowed origin: after rebinding, a browser sends the attacker's name, and not every request of a page has an Origin.
 */
export function isHostAllowed({ host, localAddress, allowed }: HostCheck): boolean {
  if (host !== undefined && USUAL_LOOPBACK.test(host)) return true;
  if (!isLoopbackAddress(localAddress)) return true;
  const hostname = host === undefined ? undefined : URL.parse(`http://${host}`)?.hostname;
  if (hostname === undefined || hostname === '') return false;
  return isLoopbackHost(hostname) || allowed?.some(origin => URL.parse(origin)?.hostname === hostname) === true;
}

/** What nearly every local client sends: recognized without parsing. */
const USUAL_LOOPBACK = /^(localhost|127\.0\.0\.1)(:\d{1,5})?$/;

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && (address === '::1' || /^(::ffff:)?127\./.test(address));
}

/** @param hostname as in a URL: IPv6 addresses in brackets */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
