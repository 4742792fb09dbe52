import type { ServerResponse } from 'node:http';
import type { Route } from './listener.ts';
import { respondJson } from './respond.ts';

/** A page that is read only, made anew for each request. */
export function jsonPage(answer: () => { readonly status?: number; readonly body: unknown }): Route {
  return readOnly(res => {
    const { status = 200, body } = answer();
    respondJson(res, status, JSON.stringify(body));
  });
}

/** The same as text of a content type. */
export function textPage(contentType: string, answer: () => string): Route {
  return readOnly(res => respondJson(res, 200, answer(), { 'Content-Type': contentType }));
}

function readOnly(answer: (res: ServerResponse) => void): Route {
  return (req, res) => {
    req.resume();
    if (req.method === 'GET' || req.method === 'HEAD') answer(res);
    else respondJson(res, 405, '{"error":"method_not_allowed"}', { Allow: 'GET, HEAD' });
  };
}
