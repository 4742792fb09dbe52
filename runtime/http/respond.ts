import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Answers with a JSON document. Does nothing when the client has disconnected. */
export function respondJson(res: ServerResponse, status: number, json: string, headers?: OutgoingHttpHeaders): void {
  if (res.destroyed || res.headersSent) return;
  const own = buildJsonHeaders(Buffer.byteLength(json));
  res.writeHead(status, headers === undefined ? own : { ...own, ...headers });
  res.end(json);
}

/** The headers of a JSON answer; without a length the body is chunked. */
export function buildJsonHeaders(length: number | undefined): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  if (length !== undefined) headers['Content-Length'] = length;
  return headers;
}

/** Answers without a body. */
export function respondEmpty(res: ServerResponse, status: number): void {
  if (res.destroyed || res.headersSent) return;
  res.writeHead(status, status === 204 ? {} : { 'Content-Length': 0 });
  res.end();
}
