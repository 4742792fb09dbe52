import type { ServerResponse } from 'node:http';
import type { Route } from './listener.ts';
import { respondJson } from './respond.ts';

/** What the internal address shows. Each is asked for at every request. */
export interface InternalPages {
  /** May clients be sent here? */
  ready(): boolean;
  version(): unknown;
  status(): unknown;
}

/**
 * The pages for probes and operators. They are served on the internal address only: they name backends and need no token.
 */
export function internalRoutes(pages: InternalPages): ReadonlyMap<string, Route> {
  return new Map<string, Route>([
    ['/health', readOnly(res => respond(res, 200, { status: 'ok' }))],
    [
      '/readyz',
      readOnly(res =>
        pages.ready() ? respond(res, 200, { status: 'ready' }) : respond(res, 503, { status: 'not_ready' }),
      ),
    ],
    ['/version', readOnly(res => respond(res, 200, pages.version()))],
    ['/status', readOnly(res => respond(res, 200, pages.status()))],
  ]);
}

function readOnly(answer: (res: ServerResponse) => void): Route {
  return (req, res) => {
    req.resume();
    if (req.method === 'GET' || req.method === 'HEAD') answer(res);
    else respondJson(res, 405, '{"error":"method_not_allowed"}', { Allow: 'GET, HEAD' });
  };
}

function respond(res: ServerResponse, status: number, body: unknown): void {
  respondJson(res, status, JSON.stringify(body));
}
