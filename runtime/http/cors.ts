/**
 * Permits web pages of configured origins to read answers: a browser shows a page the answer of another origin only if that answer permits it, and
 * sends a preflight before a request with JSON. Sessions and tokens are in headers that pages set themselves, so cookies are not permitted.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { respondEmpty } from './respond.ts';

/** Headers of a gateway's answers that pages may read in addition to those that browsers always permit. */
const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, Retry-After';

/** How long a browser may cache the permission; seconds. */
const MAX_AGE = '600';

/**
 * Permits pages of this origin to read the answer, including an error.
 * @param exposed the headers that they may read as well. Default: those of gateways
 */
export function showToPage(res: ServerResponse, origin: string, exposed: string = EXPOSED): void {
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Expose-Headers', exposed);
  res.setHeader('Vary', 'Origin');
}

/**
 * Answers a browser's preflight; returns false if the request is no preflight.
 * @param methods the methods of this address, as in the header `Allow`
 */
export function respondToPreflight(req: IncomingMessage, res: ServerResponse, methods: string): boolean {
  if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return false;
  req.resume();
  res.setHeader('Access-Control-Allow-Methods', methods);
  // Arguments of tools may be headers (`Mcp-Param-…`), so no list can contain all header names; `*` would not include `Authorization`.
  const requestedHeaders = req.headers['access-control-request-headers'];
  if (requestedHeaders !== undefined) res.setHeader('Access-Control-Allow-Headers', requestedHeaders);
  res.setHeader('Access-Control-Max-Age', MAX_AGE);
  res.setHeader('Vary', 'Origin, Access-Control-Request-Headers');
  respondEmpty(res, 204);
  return true;
}
