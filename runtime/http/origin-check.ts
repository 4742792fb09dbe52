/**
 * The guard against DNS rebinding: a web page must not reach a gateway through its visitor's browser.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */
import { isIP } from 'node:net';

/** The address and host of a request. */
export interface HostCheck {
  /** The Host header. */
  readonly host: string | undefined;
  /** The address the connection was accepted on. */
  readonly localAddress: string | undefined;
  /** Origins that are always permitted, such as `https://gateway.example.com` in front of a proxy on the same machine. */
  readonly allowed?: readonly string[];
  /** The origin of the server's URL for clients, if it is known. It is also permitted. */
  readonly publicOrigin?: string | undefined;
}

/** The response to a page that may not call. */
export const ORIGIN_REFUSED: string =
  'pages of this Origin may not call; to allow them, start the server with --allowed-origin and this origin';

/** The response to a request for which `isHostAllowed` is false. */
export const HOST_REFUSED: string =
  'this Host is not allowed on a loopback address; allow its origin with --allowed-origin';

/**
 * Whether the Origin of a request permits it. Only browsers send an Origin, so a request without Origin needs no check. The same name in Origin and
 * Host proves nothing: after rebinding, both are the attacker's name, no matter on which address the server listens. So a name must be permitted
 * explicitly. An IP address cannot be rebound: a page that was loaded from it may call it. Pages of this machine may call a loopback address.
 */
export function isOriginAllowed(origin: string | undefined, check: HostCheck): boolean {
  if (origin === undefined) return true;
  const { host, localAddress, allowed, publicOrigin } = check;
  if (origin === publicOrigin || allowed?.includes(origin)) return true;
  const url = URL.parse(origin);
  // Refuses an opaque origin ("null"), which has no host, and a URL with more parts than scheme, host and port.
  if (url === null || url.origin !== origin.toLowerCase()) return false;
  const isLoopback = isLoopbackHost(url.hostname);
  if (isLoopbackAddress(localAddress)) return isLoopback;
  if (!isLoopback && isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0) return false;
  // Parsing both with one scheme drops a default port on either side.
  return host !== undefined && URL.parse(`${url.protocol}//${host}`)?.host === url.host;
}

/**
 * Whether the Host of a request permits it. On a loopback address, Host must be a loopback host, the host of a permitted origin, or the public host.
 * The check of Origin is not enough, because browsers omit Origin in some requests; Host then has the attacker's name after rebinding.
 */
export function isHostAllowed({ host, localAddress, allowed, publicOrigin }: HostCheck): boolean {
  if (host !== undefined && USUAL_LOOPBACK.test(host)) return true;
  if (!isLoopbackAddress(localAddress)) return true;
  const hostname = host === undefined ? undefined : URL.parse(`http://${host}`)?.hostname;
  if (hostname === undefined || hostname === '') return false;
  const hasHostname = (origin: string | undefined): boolean => URL.parse(origin ?? '')?.hostname === hostname;
  return isLoopbackHost(hostname) || hasHostname(publicOrigin) || allowed?.some(hasHostname) === true;
}

/** Host headers of nearly all local clients; they are recognized without parsing. */
const USUAL_LOOPBACK = /^(localhost|127\.0\.0\.1)(:\d{1,5})?$/;

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && (address === '::1' || /^(::ffff:)?127\./.test(address));
}

/** @param hostname in the form of a URL: IPv6 addresses in brackets */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
