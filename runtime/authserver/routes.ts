/** The handlers of the endpoints, some for fastify and some directly for `node:http`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type Provider from 'oidc-provider';
import { type Client, errors } from 'oidc-provider';
import { AUTH_SERVER_PATHS } from '#schemas';
import { type Rate, TokenBuckets } from '#shared/util';
import type { Logger } from '../observe/log.ts';
import { JWT_BEARER_GRANT } from './delegation/jwt-bearer.ts';
import { renderErrorPage } from './pages.ts';
import { hasAssertions, listCallbackPaths, readPath, respondError } from './paths.ts';
import { findRefusal, register } from './register-client.ts';
import { readRegistration } from './registration.ts';
import type { Route, ServerOptions } from './serving.ts';
import { respondPage } from './sign-in.ts';
import type { SigningKey } from './signing-keys.ts';
import { isStoreAway } from './storage/for-engine.ts';
import { DOCUMENT_SECONDS, OPEN_TO_ALL, type PublicDocuments, respondDocument } from './well-known.ts';

/** Limit on the body of a request, in bytes. */
export const MAX_BODY_BYTES: number = 64 * 1024;

/** Maximum length of an authorization request, in characters; limited because the request is stored until the person has signed in. */
const MAX_REQUEST_LENGTH = 8 * 1024;

/** Rate limit for registrations: a burst, then one per interval. */
const REGISTRATIONS: Rate = { maxTokens: 5, refillPeriodMs: 5 * 1_000 };

/** The public base URL of oidc-provider, in parts. */
interface Base {
  readonly host: string;
  /** `https`, for example. */
  readonly scheme: string;
  /** Without a trailing slash. */
  readonly path: string;
}

function readBase(url: string): Base {
  const { host, protocol } = new URL(url);
  return { host, scheme: protocol.slice(0, -1), path: readPath(url) };
}

/** Takes a response over from fastify. */
export function hijackReply(reply: FastifyReply): ServerResponse {
  reply.hijack();
  return reply.raw;
}

export class Routes {
  readonly #options: ServerOptions;
  readonly #issuer: Base;
  readonly #browser: Base;
  readonly #turns = new TokenBuckets(REGISTRATIONS, 1);

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#issuer = readBase(options.plan.issuer);
    this.#browser = readBase(options.plan.browserBase);
  }

  /** Serves a public document for GET and HEAD without fastify; fastify answers all other methods. */
  serveDocument(name: keyof PublicDocuments, app: FastifyInstance): Route {
    const { now } = this.#options;
    return (req, res) => {
      if (req.method !== 'GET' && req.method !== 'HEAD') {
        app.routing(req, res);
        return;
      }
      const serving = now();
      if (serving instanceof Promise) return serving.then(({ documents }) => respondDocument(res, documents[name]));
      respondDocument(res, serving.documents[name]);
    };
  }

  /** Adds the routes whose requests oidc-provider answers. */
  mountEngine(part: FastifyInstance): void {
    const { plan } = this.#options;
    // oidc-provider parses bodies itself.
    part.removeAllContentTypeParsers();
    part.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const authorize = `${this.#browser.path}${AUTH_SERVER_PATHS.authorize}`;
    part.get(authorize, async (request, reply) => {
      const { raw } = request;
      if ((raw.url ?? '').length > MAX_REQUEST_LENGTH) {
        reply.hijack();
        const what = 'The request of the application is too long to be stored until you have signed in.';
        respondPage(
          reply.raw,
          414,
          renderErrorPage('This sign-in cannot go on', what, 'Tell the developer of the application.'),
        );
        return;
      }
      raw.url = await this.#completeUrl(raw.url ?? '');
      await this.#hand(raw, hijackReply(reply), this.#browser);
    });
    part.get(`${authorize}/:uid`, ({ raw }, reply) => this.#hand(raw, hijackReply(reply), this.#browser));
    if (hasAssertions(plan)) return;
    const token = `${this.#issuer.path}${AUTH_SERVER_PATHS.token}`;
    allowPreflight(part, token, 'POST');
  }

  /** Adds the assertion grant. It is handled without oidc-provider, which would first authenticate a client: these requests come from none. */
  mountAssertions(part: FastifyInstance): void {
    const { plan, now, jwtBearer } = this.#options;
    if (!hasAssertions(plan)) return;
    part.removeAllContentTypeParsers();
    part.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    const token = `${this.#issuer.path}${AUTH_SERVER_PATHS.token}`;
    part.post<{ Body: string }>(token, async (request, reply) => {
      const form = new URLSearchParams(request.body);
      if (form.get('grant_type') !== JWT_BEARER_GRANT)
        return this.answerToken(replayBody(request.raw, request.body), hijackReply(reply));
      reply.headers({ ...OPEN_TO_ALL, 'Cache-Control': 'no-store', Pragma: 'no-cache' });
      const isRepeated = [...form.keys()].some(name => name !== 'resource' && form.getAll(name).length > 1);
      if (isRepeated || request.headers.authorization !== undefined || form.has('client_secret')) {
        const description =
          'a parameter is repeated, or the request has client credentials, which this grant does not use';
        return reply.code(400).send({ error: 'invalid_request', error_description: description });
      }
      const [key] = (await now()).keys;
      const { status, body } = await jwtBearer.answer(form, key as SigningKey);
      return reply.code(status).send(body);
    });
    allowPreflight(part, token, 'POST');
  }

  /** Answers a request to the token endpoint, without fastify if possible, because it is the most frequent endpoint. */
  async answerToken(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (Number(req.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      // Closes the connection, because no code reads the body.
      res.setHeader('Connection', 'close');
      respondError(res, 413, { error: 'invalid_request', error_description: 'the body is too large' });
      return;
    }
    res.setHeader('Access-Control-Allow-Origin', '*');
    // oidc-provider would send errors as HTML to clients that accept HTML, as some do by default; RFC 6749, section 5.2, requires JSON.
    req.headers.accept = 'application/json';
    await this.#hand(req, res, this.#issuer);
  }

  mountRegistration(part: FastifyInstance): void {
    const { plan, now, onRegistration, log } = this.#options;
    const path = `${this.#issuer.path}${AUTH_SERVER_PATHS.register}`;
    part.post(path, async (request, reply) => {
      reply.headers({ ...OPEN_TO_ALL, 'Cache-Control': 'no-store', Pragma: 'no-cache' });
      if (this.#turns.take('', performance.now()) > 0) {
        onRegistration('limited');
        const description = 'too many clients register at the same time: try again in a second';
        const answer = { error: 'temporarily_unavailable', error_description: description };
        return reply.code(429).header('Retry-After', '1').send(answer);
      }
      try {
        const client = await register((await now()).provider, readRegistration(request.body, plan));
        onRegistration('registered');
        log.info({ client: client.client_id }, 'a client registered');
        return reply.code(201).send(client);
      } catch (error) {
        const refusal = findRefusal(error);
        if (refusal === undefined) throw error;
        onRegistration('refused');
        return reply.code(400).send(refusal);
      }
    });
    allowPreflight(part, path, 'POST');
  }

  signIn(part: FastifyInstance): void {
    const { now, signIn, plan } = this.#options;
    part.removeAllContentTypeParsers();
    part.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, new URLSearchParams(String(body))),
    );
    const page = `${this.#browser.path}${AUTH_SERVER_PATHS.signIn}/:uid`;
    part.get<{ Params: { uid: string } }>(page, async (request, reply) => {
      reply.hijack();
      await guardReply(reply, this.#options.log, async () =>
        signIn.ask((await now()).provider, request.raw, reply.raw, request.params.uid),
      );
    });
    part.post<{ Params: { uid: string } }>(page, async (request, reply) => {
      const body = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      reply.hijack();
      await guardReply(reply, this.#options.log, async () =>
        signIn.decide((await now()).provider, request.raw, reply.raw, request.params.uid, body.get('decision')),
      );
    });
    for (const path of listCallbackPaths(plan)) {
      part.get(path, async (request, reply) => {
        const query = new URLSearchParams((request.raw.url ?? '').split('?', 2)[1] ?? '');
        reply.hijack();
        await guardReply(reply, this.#options.log, async () =>
          signIn.comeBack((await now()).provider, request.raw, reply.raw, query),
        );
      });
    }
  }

  /** Passes a request to oidc-provider. Host, scheme and path come from the plan, so that no header of a client ends up in a URL. */
  async #hand(req: IncomingMessage, res: ServerResponse, { host, scheme, path }: Base): Promise<void> {
    const { handle } = await this.#options.now();
    const { headers, url = '' } = req;
    // Deletes only headers that exist, because deleting a member makes an object slow in V8 from then on.
    for (const name of ['x-forwarded-host', 'x-forwarded-for']) if (name in headers) delete headers[name];
    headers.host = host;
    headers['x-forwarded-proto'] = scheme;
    (req as IncomingMessage & { originalUrl?: string }).originalUrl = url;
    req.url = url.slice(path.length);
    handle(req, res);
  }

  /** Adds missing parameters to an authorization request: the scopes that the client registered, and the consent prompt. */
  async #completeUrl(url: string): Promise<string> {
    const [path = '', text = ''] = url.split('?', 2);
    const query = new URLSearchParams(text);
    // Response modes other than `query` use a script or a fragment. With the invalid value `none`, oidc-provider refuses the request.
    if (query.getAll('response_mode').some(mode => mode !== '' && mode !== 'query')) query.set('response_mode', 'none');
    if (query.getAll('scope').every(scope => scope === '')) {
      const client = await findClient((await this.#options.now()).provider, query.get('client_id') ?? '');
      if (client?.scope) query.set('scope', client.scope);
    }
    const prompts = (query.get('prompt') ?? '').split(' ').filter(Boolean);
    if (prompts.includes('none') || prompts.includes('consent')) return `${path}?${query}`;
    query.set('prompt', [...prompts, 'consent'].join(' '));
    return `${path}?${query}`;
  }
}

/** A request whose body was already read, in a form from which oidc-provider can read the body again. */
function replayBody({ method, url, headers, socket }: IncomingMessage, body: string): IncomingMessage {
  const replayed = Readable.from([Buffer.from(body)], { objectMode: false });
  return Object.assign(replayed, { method, url, headers, socket }) as unknown as IncomingMessage;
}

/** The registered client; undefined for an unknown one. oidc-provider shows this error to the person later. */
async function findClient(provider: Provider, id: string): Promise<Client | undefined> {
  try {
    return await provider.Client.find(id);
  } catch (error) {
    if (error instanceof errors.OIDCProviderError) return undefined;
    throw error;
  }
}

export function allowPreflight(part: FastifyInstance, path: string, method: string): void {
  part.options(path, async (_request, reply) =>
    reply
      .code(204)
      .headers({
        ...OPEN_TO_ALL,
        'Access-Control-Allow-Methods': `${method}, OPTIONS`,
        'Access-Control-Allow-Headers': 'authorization, content-type, mcp-protocol-version',
        'Access-Control-Max-Age': String(DOCUMENT_SECONDS),
      })
      .send(),
  );
}

/** Runs the handler of a page. If it fails, the person gets an error page. */
async function guardReply(reply: FastifyReply, log: Logger, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isAway = isStoreAway(error) || error instanceof errors.TemporarilyUnavailable;
    log.error({ err: error }, 'a page of the authorization server failed');
    if (reply.raw.headersSent) reply.raw.destroy();
    else {
      const what = isAway ? 'The server cannot reach what it needs now.' : 'Something went wrong in the server.';
      respondPage(
        reply.raw,
        isAway ? 503 : 500,
        renderErrorPage('This sign-in cannot go on now', what, 'Try again in a moment.'),
      );
    }
  }
}
