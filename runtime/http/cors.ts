/**
 * Lets pages whose origin may call read what they are answered: a browser shows a page nothing of another origin that does not say so,
 * and asks before it sends JSON. Sessions and tokens go in headers that pages set themselves, so no cookies are allowed.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { respondEmpty } from './respond.ts';

/** Headers of gateways beyond those that pages may always read: the session, how to log in, when to come again. */
const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, Retry-After';

/** For how long a browser need not ask again; seconds. */
const MAX_AGE = '600';

/**
 * Says that pages of this origin may read the answer, whatever it will be.
 *
 * @param exposed headers of it that they may read as well. Default: those of gateways
 */
export function showToPage(res: ServerResponse, origin: string, exposed: string = EXPOSED): void {
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Expose-Headers', exposed);
  res.setHeader('Vary', 'Origin');
}

/**
 * Answers the question of a browser before a request; false when this is none.
 *
 * @param methods that are answered here, as in the header `Allow`
 */
export function respondToPreflight(req: IncomingMessage, res: ServerResponse, methods: string): boolean {
  if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return false;
  req.resume();
  res.setHeader('Access-Control-Allow-Methods', methods);
  // Arguments of tools may be headers (`Mcp-Param-…`), so they cannot be listed; `*` would not mean `Authorization`.
  const wanted = req.headers['access-control-request-headers'];
  if (wanted !== undefined) res.setHeader('Access-Control-Allow-Headers', wanted);
  res.setHeader('Access-Control-Max-Age', MAX_AGE);
  res.setHeader('Vary', 'Origin, Access-Control-Request-Headers');
  respondEmpty(res, 204);
  return true;
}
