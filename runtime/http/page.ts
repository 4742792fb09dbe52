import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from './listener.ts';
import { isHostAllowed } from './origin-check.ts';
import { respondJson } from './respond.ts';

interface JsonAnswer {
  readonly status?: number;
  readonly body: unknown;
}

interface TextAnswer {
  readonly type: string;
  readonly text: string;
}

/** A read-only page that is built for each request. */
export function createJsonPage(answer: () => JsonAnswer | Promise<JsonAnswer>): Route {
  return readOnly(res =>
    writeWhenReady(answer(), ({ status = 200, body }) => respondJson(res, status, JSON.stringify(body))),
  );
}

/** Does the same as `createJsonPage` for text in the content type that the request's `Accept` header selects. */
export function createTextPage(answer: (accept: string | undefined) => TextAnswer | Promise<TextAnswer>): Route {
  return readOnly((res, { headers }) =>
    writeWhenReady(answer(headers.accept), ({ type, text }) => respondJson(res, 200, text, { 'Content-Type': type })),
  );
}

function writeWhenReady<T>(answer: T | Promise<T>, write: (ready: T) => void): void | Promise<void> {
  return answer instanceof Promise ? answer.then(write) : write(answer);
}

/**
 * A page with details of this process. No web page may read it through a browser (DNS rebinding): on a loopback address, the `Host` header
 * must name a loopback host. Monitoring uses the address of a pod.
 */
export function guardPage(page: Route): Route {
  return (req, res) => {
    if (isHostAllowed({ host: req.headers.host, localAddress: req.socket.localAddress })) return page(req, res);
    req.resume();
    respondJson(res, 403, JSON.stringify({ error: INTERNAL_HOST_REFUSED }));
  };
}

const INTERNAL_HOST_REFUSED = 'this Host is not allowed on a loopback address: use localhost or 127.0.0.1';

function readOnly(answer: (res: ServerResponse, req: IncomingMessage) => void | Promise<void>): Route {
  return (req, res) => {
    req.resume();
    if (req.method === 'GET' || req.method === 'HEAD') return answer(res, req);
    respondJson(res, 405, '{"error":"method_not_allowed"}', { Allow: 'GET, HEAD' });
  };
}
