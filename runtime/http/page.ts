import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from './listener.ts';
import { isHostAllowed } from './origin.ts';
import { respondJson } from './respond.ts';

/** A page that is read only, made anew for each request. */
export function jsonPage(answer: () => { readonly status?: number; readonly body: unknown }): Route {
  return readOnly(res => {
    const { status = 200, body } = answer();
    respondJson(res, status, JSON.stringify(body));
  });
}

/** The same as text, in the content type that is chosen by the `Accept` header of the request. */
export function textPage(
  answer: (accept: string | undefined) => { readonly type: string; readonly text: string },
): Route {
  return readOnly((res, { headers }) => {
    const { type, text } = answer(headers.accept);
    respondJson(res, 200, text, { 'Content-Type': type });
  });
}

/**
 * A page that tells what runs here. No web page may read it through its visitor's browser (DNS rebinding): on a loopback address,
 * the Host has to be a loopback one. Monitoring comes by the address of a pod.
 */
export function guardedPage(page: Route): Route {
  return (req, res) => {
    if (isHostAllowed({ host: req.headers.host, localAddress: req.socket.localAddress })) return page(req, res);
    req.resume();
    respondJson(res, 403, JSON.stringify({ error: INTERNAL_HOST_REFUSED }));
  };
}

const INTERNAL_HOST_REFUSED = 'this Host is not allowed on a loopback address: use localhost or 127.0.0.1';

function readOnly(answer: (res: ServerResponse, req: IncomingMessage) => void): Route {
  return (req, res) => {
    req.resume();
    if (req.method === 'GET' || req.method === 'HEAD') answer(res, req);
    else respondJson(res, 405, '{"error":"method_not_allowed"}', { Allow: 'GET, HEAD' });
  };
}
