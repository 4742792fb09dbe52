import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ResourceMetadataPlan } from '#schemas';
import { respondJson } from '../../http/respond.ts';

/** Web clients on any page may read the document: it is public, and does not depend on the caller. */
const CORS: OutgoingHttpHeaders = { 'Access-Control-Allow-Origin': '*' };

const PREFLIGHT: OutgoingHttpHeaders = {
  ...CORS,
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  // Any header, because MCP clients send headers such as MCP-Protocol-Version.
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
};

/** Protected-resource metadata (RFC 9728) at every path where clients look for it, from bytes that are computed once. */
export function createMetadataRoutes(
  plan: ResourceMetadataPlan,
): ReadonlyMap<string, (req: IncomingMessage, res: ServerResponse) => void> {
  const bytes = Buffer.from(JSON.stringify(plan.document));
  const headers: OutgoingHttpHeaders = {
    ...CORS,
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
    'Cache-Control': 'public, max-age=300',
    'X-Content-Type-Options': 'nosniff',
  };
  const answer = (req: IncomingMessage, res: ServerResponse): void => {
    req.resume();
    if (res.destroyed) return;
    if (req.method === 'GET') res.writeHead(200, headers).end(bytes);
    else if (req.method === 'HEAD') res.writeHead(200, headers).end();
    else if (req.method === 'OPTIONS') res.writeHead(204, PREFLIGHT).end();
    else respondJson(res, 405, '{"error":"method_not_allowed"}', { ...CORS, Allow: 'GET, HEAD, OPTIONS' });
  };
  return new Map(plan.paths.map(path => [path, answer]));
}
