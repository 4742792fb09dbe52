/** The endpoints, as fastify and `node:http` reach them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type Provider from 'oidc-provider';
import { type Client, errors } from 'oidc-provider';
import { AUTH_SERVER_PATHS } from '#schemas';
import { type Rate, TokenBuckets } from '#util';
import type { Logger } from '../observe/log.ts';
import { JWT_BEARER_GRANT } from './delegation/jwt-bearer.ts';
import { errorPage } from './pages.ts';
import { callbackPaths, hasAssertions, readPath, respondError } from './paths.ts';
import { findRefusal, register } from './register-client.ts';
import { readRegistration } from './registration.ts';
import type { Route, ServerOptions } from './serving.ts';
import { respondPage } from './sign-in.ts';
import type { SigningKey } from './signing-keys.ts';
import { isStoreAway } from './storage/for-engine.ts';
import { DOCUMENT_SECONDS, OPEN_TO_ALL, type PublicDocuments, respondDocument } from './well-known.ts';

/** Limit on the body of a request, in bytes. */
export const MAX_BODY_BYTES: number = 64 * 1024;

/** Limit on an authorization request, in characters: it is kept until the person has signed in. */
const MAX_REQUEST_LENGTH = 8 * 1024;

/** Registrations: so many at once, then one in each interval. */
const REGISTRATIONS: Rate = { maxTokens: 5, refillPeriodMs: 5 * 1_000 };

/** Under what oidc-provider is known. */
interface Base {
  readonly host: string;
  /** `https`, for one. */
  readonly scheme: string;
  /** Without a slash at its end. */
  readonly path: string;
}

function readBase(url: string): Base {
  const { host, protocol } = new URL(url);
  return { host, scheme: protocol.slice(0, -1), path: readPath(url) };
}

/** The response of a request that fastify does not answer. */
export function handed(reply: FastifyReply): ServerResponse {
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

  /** A document that any client may fetch, answered without fastify, which answers every other method. */
  document(name: keyof PublicDocuments, app: FastifyInstance): Route {
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

  /** What oidc-provider answers by itself. */
  engine(part: FastifyInstance): void {
    const { plan } = this.#options;
    // It reads bodies itself.
    part.removeAllContentTypeParsers();
    part.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const authorize = `${this.#browser.path}${AUTH_SERVER_PATHS.authorize}`;
    part.get(authorize, async (request, reply) => {
      const { raw } = request;
      if ((raw.url ?? '').length > MAX_REQUEST_LENGTH) {
        reply.hijack();
        const what = 'What the application asks for is too long to be kept until you have signed in.';
        respondPage(reply.raw, 414, errorPage('This sign-in cannot go on', what, 'Tell the maker of the application.'));
        return;
      }
      raw.url = await this.#completed(raw.url ?? '');
      await this.#hand(raw, handed(reply), this.#browser);
    });
    part.get(`${authorize}/:uid`, ({ raw }, reply) => this.#hand(raw, handed(reply), this.#browser));
    if (hasAssertions(plan)) return;
    const token = `${this.#issuer.path}${AUTH_SERVER_PATHS.token}`;
    allowPreflight(part, token, 'POST');
  }

  /** Where assertions are traded: those who have one are no clients, which oidc-provider would ask for first. */
  assertions(part: FastifyInstance): void {
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
        return this.answerToken(unread(request.raw, request.body), handed(reply));
      reply.headers({ ...OPEN_TO_ALL, 'Cache-Control': 'no-store', Pragma: 'no-cache' });
      const isRepeated = [...form.keys()].some(name => name !== 'resource' && form.getAll(name).length > 1);
      if (isRepeated || request.headers.authorization !== undefined || form.has('client_secret')) {
        const description = 'a parameter is repeated, or a client has named itself, which this grant does not ask for';
        return reply.code(400).send({ error: 'invalid_request', error_description: description });
      }
      const [key] = (await now()).keys;
      const { status, body } = await jwtBearer.answer(form, key as SigningKey);
      return reply.code(status).send(body);
    });
    allowPreflight(part, token, 'POST');
  }

  /** What is asked most, so fastify is left out where it has nothing to decide: oidc-provider reads the body, and bounds it. */
  async answerToken(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (Number(req.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      // Nothing reads it.
      res.setHeader('Connection', 'close');
      respondError(res, 413, { error: 'invalid_request', error_description: 'the body is too large' });
      return;
    }
    res.setHeader('Access-Control-Allow-Origin', '*');
    // Else clients that ask for HTML, as some do by default, would get errors as pages (RFC 6749, section 5.2).
    req.headers.accept = 'application/json';
    await this.#hand(req, res, this.#issuer);
  }

  registration(part: FastifyInstance): void {
    const { plan, now, onRegistration, log } = this.#options;
    const path = `${this.#issuer.path}${AUTH_SERVER_PATHS.register}`;
    part.post(path, async (request, reply) => {
      reply.headers({ ...OPEN_TO_ALL, 'Cache-Control': 'no-store', Pragma: 'no-cache' });
      if (this.#turns.take('', performance.now()) > 0) {
        onRegistration('limited');
        return reply.code(429).header('Retry-After', '1').send({ error: 'temporarily_unavailable' });
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
      await guarded(reply, this.#options.log, async () =>
        signIn.ask((await now()).provider, request.raw, reply.raw, request.params.uid),
      );
    });
    part.post<{ Params: { uid: string } }>(page, async (request, reply) => {
      const body = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      reply.hijack();
      await guarded(reply, this.#options.log, async () =>
        signIn.decide((await now()).provider, request.raw, reply.raw, request.params.uid, body.get('decision')),
      );
    });
    for (const path of callbackPaths(plan)) {
      part.get(path, async (request, reply) => {
        const query = new URLSearchParams((request.raw.url ?? '').split('?', 2)[1] ?? '');
        reply.hijack();
        await guarded(reply, this.#options.log, async () =>
          signIn.comeBack((await now()).provider, request.raw, reply.raw, query),
        );
      });
    }
  }

  /**
   * Lets oidc-provider answer. The host, the scheme and the path under which it is known are those of the plan, not those of a request:
   * so no header of a client ends up in a URL.
   */
  async #hand(req: IncomingMessage, res: ServerResponse, { host, scheme, path }: Base): Promise<void> {
    const { handle } = await this.#options.now();
    const { headers, url = '' } = req;
    // An object from which a member is deleted is slow from then on.
    for (const name of ['x-forwarded-host', 'x-forwarded-for']) if (name in headers) delete headers[name];
    headers.host = host;
    headers['x-forwarded-proto'] = scheme;
    (req as IncomingMessage & { originalUrl?: string }).originalUrl = url;
    req.url = url.slice(path.length);
    handle(req, res);
  }

  /** An authorization request with what clients may leave out: the scopes that they registered, and that consent is asked for. */
  async #completed(url: string): Promise<string> {
    const [path = '', text = ''] = url.split('?', 2);
    const query = new URLSearchParams(text);
    // One that oidc-provider refuses: the others that it knows answer with a page that runs a script, or behind `#`.
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

/** A request whose body was read, for oidc-provider, which reads bodies itself. */
function unread({ method, url, headers, socket }: IncomingMessage, body: string): IncomingMessage {
  const again = Readable.from([Buffer.from(body)], { objectMode: false });
  return Object.assign(again, { method, url, headers, socket }) as unknown as IncomingMessage;
}

/** Undefined for one that is not known, of which oidc-provider tells the browser. */
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

/** Pages that fail end in a page as well. */
async function guarded(reply: FastifyReply, log: Logger, work: () => Promise<void>): Promise<void> {
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
        errorPage('This sign-in cannot go on now', what, 'Try again in a moment.'),
      );
    }
  }
}
