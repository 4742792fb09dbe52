/** The endpoints of the authorization server, which fastify serves on the gateway's own address. */
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { AUTH_SERVER_PATHS } from '#schemas';
import type { Logger } from '../observe/log.ts';
import { buildPaths, findMethods, getPath, hasAssertions, readPath, refuseMethod } from './paths.ts';
import { allowPreflight, hijackReply, MAX_BODY_BYTES, Routes } from './routes.ts';
import type { Route, ServerOptions } from './serving.ts';
import { isStoreAway } from './storage/for-engine.ts';
import { StoreFullError } from './storage/store.ts';
import { findDocumentBelow, METADATA_BELOW, mapPublicPaths, OPEN_TO_ALL } from './well-known.ts';

export interface Server {
  /** The handler of a path; undefined for a path that belongs to the gateway. */
  route(path: string): Route | undefined;
  close(): Promise<void>;
}

export async function createServer(options: ServerOptions): Promise<Server> {
  const { plan, log } = options;
  const app = Fastify({ logger: false, bodyLimit: MAX_BODY_BYTES, return503OnClosing: false, exposeHeadRoutes: false });
  app.setErrorHandler((error, request, reply) => answerFailure(error as Error, request, reply, log));
  const routes = new Routes(options);
  const documents = new Map([...mapPublicPaths(plan)].map(([path, name]) => [path, routes.serveDocument(name, app)]));
  const paths = buildPaths(plan);
  app.setNotFoundHandler(({ raw }, reply) => refuseMethod(hijackReply(reply), findMethods(getPath(raw.url), paths)));
  await app.register(async part => {
    for (const path of [...documents.keys(), ...METADATA_BELOW.map(below => `${below}*`)])
      allowPreflight(part, path, 'GET');
  });
  await app.register(async part => routes.mountEngine(part));
  await app.register(async part => routes.mountAssertions(part));
  await app.register(async part => routes.mountRegistration(part));
  await app.register(async part => routes.signIn(part));
  await app.ready();
  const isRouted = (path: string) => findMethods(path, paths) !== undefined;
  const tokenPath = hasAssertions(plan) ? undefined : `${readPath(plan.issuer)}${AUTH_SERVER_PATHS.token}`;
  const answerToken: Route = (req, res) =>
    req.method === 'POST' ? routes.answerToken(req, res) : app.routing(req, res);
  return {
    route: path => {
      if (path === tokenPath) return answerToken;
      const document = documents.get(path);
      if (document !== undefined) return document;
      const below = findDocumentBelow(path);
      if (below !== undefined) return routes.serveDocument(below, app);
      return isRouted(path) ? (req, res) => app.routing(req, res) : undefined;
    },
    close: () => app.close(),
  };
}

function answerFailure(
  error: Error & { statusCode?: number },
  _request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
) {
  reply.headers({ ...OPEN_TO_ALL, 'Cache-Control': 'no-store' });
  if (error instanceof StoreFullError)
    return reply.code(503).header('Retry-After', '3600').send({ error: 'temporarily_unavailable' });
  if (isStoreAway(error)) return reply.code(503).header('Retry-After', '5').send({ error: 'temporarily_unavailable' });
  const status = error.statusCode ?? 500;
  if (status >= 500) log.error({ err: error }, 'the authorization server failed to answer a request');
  const description = status >= 500 ? 'the server failed' : error.message;
  return reply
    .code(status)
    .send({ error: status >= 500 ? 'server_error' : 'invalid_request', error_description: description });
}
