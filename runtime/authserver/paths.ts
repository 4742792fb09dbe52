/** The paths of the authorization server's endpoints, with their HTTP methods. */
import type { ServerResponse } from 'node:http';
import { AUTH_SERVER_PATHS, type AuthServerPlan } from '#schemas';
import { renderErrorPage, START_AGAIN } from './pages.ts';
import { respondPage } from './sign-in.ts';
import { OPEN_TO_ALL } from './well-known.ts';

/** Methods by path; a path with a trailing slash includes everything below it. */
export type Paths = ReadonlyMap<string, Methods>;

export interface Methods {
  readonly allow: string;
  /** Whether people open it in their browsers. */
  readonly isPage: boolean;
}

const PAGE: Methods = { allow: 'GET', isPage: true };
const ENDPOINT: Methods = { allow: 'POST, OPTIONS', isPage: false };
const DOCUMENT: Methods = { allow: 'GET, HEAD, OPTIONS', isPage: false };

export function buildPaths(plan: AuthServerPlan): Paths {
  const [issuer, browser] = [readPath(plan.issuer), readPath(plan.browserBase)];
  const { authorize, token, register, signIn } = AUTH_SERVER_PATHS;
  return new Map<string, Methods>([
    [`${browser}${authorize}`, PAGE],
    [`${browser}${authorize}/`, PAGE],
    [`${browser}${signIn}/`, { ...PAGE, allow: 'GET, POST' }],
    [`${issuer}${token}`, ENDPOINT],
    [`${issuer}${register}`, ENDPOINT],
    ...listCallbackPaths(plan).map((path): [string, Methods] => [path, PAGE]),
  ]);
}

export function findMethods(path: string, paths: Paths): Methods | undefined {
  return paths.get(path) ?? paths.get(path.slice(0, path.lastIndexOf('/') + 1));
}

export function getPath(url = ''): string {
  return url.split('?', 1)[0] ?? '';
}

/** Answers 405. @param methods the methods of the path; default: those of a document */
export function refuseMethod(res: ServerResponse, { allow, isPage }: Methods = DOCUMENT): void {
  res.setHeader('Allow', allow);
  if (isPage) {
    const what = 'No link and no form of this server opens this page in this way.';
    respondPage(res, 405, renderErrorPage('This page cannot be opened like this', what, START_AGAIN));
    return;
  }
  respondError(res, 405, { error: 'invalid_request', error_description: `the methods here are ${allow}` });
}

/** Sends an error as JSON, for requests that do not reach fastify. */
export function respondError(res: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'Content-Length': text.length };
  res.writeHead(status, { ...OPEN_TO_ALL, ...headers }).end(text);
}

export function hasAssertions({ trustedIssuers }: AuthServerPlan): boolean {
  return trustedIssuers.some(({ assertions }) => assertions !== null);
}

export function listCallbackPaths({ browserBase, upstreams }: AuthServerPlan): readonly string[] {
  const own = `${readPath(browserBase)}${AUTH_SERVER_PATHS.callback}`;
  return [...new Set([own, ...upstreams.map(({ redirectUri }) => URL.parse(redirectUri)?.pathname ?? own)])];
}

export function readPath(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}
