/** Serves the main address of a registry server: turns HTTP requests into calls of `RegistryApi`, and the results into responses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { REGISTRY_PATH, type RegistryBundle } from '#schemas';
import type { Identity } from '../../auth/identity.ts';
import { AuthenticationError, type Authenticator } from '../../auth/incoming/authenticator.ts';
import { respondToPreflight, showToPage } from '../../http/cors.ts';
import type { Route } from '../../http/listener.ts';
import { HOST_REFUSED, isHostAllowed, isOriginAllowed } from '../../http/origin-check.ts';
import type { AuditLog } from '../../observe/audit/audit-log.ts';
import type { AuditRecord } from '../../observe/audit/audit-record.ts';
import { type ApiDescription, ApiError, type ApiRequest, type PreparedBody, type RegistryApi } from '../api.ts';
import { PAGE, PAGE_POLICY } from '../page/page.ts';
import { isBelowPublic } from './public-prefix.ts';
import {
  listParameters,
  MAX_TARGET_LENGTH,
  parseDetailParameters,
  parseServerName,
  parseVersion,
} from './request-text.ts';
import { CACHE_PRIVATE, CACHE_PUBLIC, respondError, respondPrepared, respondUnauthorized } from './respond.ts';
import { type RegistryOperation, type RouteMatch, RouteTable, type TableRoute, toAccessLevel } from './route-table.ts';
import { Visibility } from './visibility.ts';

export interface RegistryServerOptions {
  readonly bundle: Pick<RegistryBundle, 'auth' | 'authorization' | 'publicPaths' | 'registries' | 'routes' | 'sources'>;
  /** Created from `toIncomingAuthPlan(bundle.auth)`. The authenticator's own routes are served if the bundle lists them. */
  readonly authenticator: Pick<Authenticator, 'authenticate' | 'routes' | 'publicOrigin'>;
  readonly api: RegistryApi;
  /** The OpenAPI description of the API. */
  readonly openapi: ApiDescription;
  /** Finds the record of a request for the audit log. Default: there is none. */
  readonly audit?: Pick<AuditLog, 'of'> | undefined;
  /** Web origins whose pages may read answers, and whose hosts are allowed on a loopback address. Default none. */
  readonly allowedOrigins?: readonly string[];
}

/** A route of the registry server. */
export interface RegistryRoute {
  readonly answer: Route;
  /** Undefined for a path without a route. */
  readonly route: TableRoute | undefined;
}

/** Finds the handler of a request. Every path has one: unknown paths require a token as well, before they get 404. */
export interface RegistryServer {
  /** @param target as received, without the query */
  find(target: string): RegistryRoute;
}

/**
 * Serves the routes of a bundle to the callers whom the bundle admits. Read-only: no method other than GET and HEAD reaches a route.
 *
 * @throws Error for a route of the bundle that this runtime does not know
 */
export function createRegistryServer(options: RegistryServerOptions): RegistryServer {
  return new HttpRegistryServer(options);
}

const ALLOW = 'GET, HEAD';

/** Headers of answers that web pages may read in addition to those that browsers always permit. */
const EXPOSED = 'ETag, WWW-Authenticate, Retry-After';

/** The path below a registry at which the official API publishes new versions. */
const PUBLISH = /^\/v0(?:\.1)?\/publish$/;

const NO_PUBLISHING =
  'publishing is not supported: this registry lists what its configured sources hold; add the server to one of those';

class HttpRegistryServer implements RegistryServer {
  readonly #options: RegistryServerOptions;
  readonly #routes: RouteTable;
  readonly #visibility: Visibility;
  readonly #registries: ReadonlySet<string>;
  readonly #isAnonymous: boolean;

  constructor(options: RegistryServerOptions) {
    const { bundle, authenticator } = options;
    this.#options = options;
    this.#routes = new RouteTable(bundle.routes, authenticator.routes);
    this.#visibility = new Visibility(bundle);
    this.#registries = new Set(bundle.registries.map(({ name }) => name));
    this.#isAnonymous = bundle.auth.mode === 'anonymous';
  }

  find(target: string): RegistryRoute {
    const path = toOriginForm(target);
    const match = this.#routes.find(path);
    const openTo = match?.route.openTo ?? toAccessLevel(path, isBelowPublic(path, this.#options.bundle.publicPaths));
    const answer: Route = (req, res) => {
      if (match !== undefined) noteQuestion(this.#options.audit?.of(req), match);
      if (this.#handleCors(req, res, match)) return;
      if (openTo === 'everybody' || (openTo === 'readers' && isReading(req))) {
        return this.#answer(req, res, path, match, undefined);
      }
      return this.#authenticate(req, res, identity => this.#answer(req, res, path, match, identity));
    };
    return { answer, route: match?.route };
  }

  /**
   * Permits pages of allowed origins to read answers, including refusals. Returns true for a browser's preflight, which is answered here, because
   * preflights have no token. Pages of other origins cannot read answers, except the protected-resource metadata.
   */
  #handleCors(req: IncomingMessage, res: ServerResponse, match: RouteMatch | undefined): boolean {
    const { origin, host } = req.headers;
    if (origin === undefined || match?.route.operation.type === 'own') return false;
    const { localAddress } = req.socket;
    const { allowedOrigins: allowed = [], authenticator } = this.#options;
    const { publicOrigin } = authenticator;
    if (!isOriginAllowed(origin, { host, localAddress, allowed, publicOrigin })) return false;
    showToPage(res, origin, EXPOSED);
    return match !== undefined && respondToPreflight(req, res, ALLOW);
  }

  #authenticate(
    req: IncomingMessage,
    res: ServerResponse,
    goOn: (identity: Identity) => void | Promise<void>,
  ): void | Promise<void> {
    const refuse = (error: unknown): void => {
      if (!(error instanceof AuthenticationError)) throw error;
      if (error.status === 401) this.#options.audit?.of(req)?.unauthenticated();
      respondUnauthorized(req, res, error);
    };
    let identity: Identity | Promise<Identity>;
    try {
      identity = this.#options.authenticator.authenticate(req);
    } catch (error) {
      refuse(error);
      return;
    }
    const known = (caller: Identity): void | Promise<void> => {
      const record = this.#options.audit?.of(req);
      if (record !== undefined) record.identity = caller;
      return goOn(caller);
    };
    return identity instanceof Promise ? identity.then(known, refuse) : known(identity);
  }

  /** @param identity undefined when no token was required */
  #answer(
    req: IncomingMessage,
    res: ServerResponse,
    path: string,
    match: RouteMatch | undefined,
    identity: Identity | undefined,
  ): void | Promise<void> {
    if (match === undefined) {
      if (req.method === 'POST' && this.#isPublishing(path)) return respondError(req, res, 501, NO_PUBLISHING);
      return respondError(req, res, 404, this.#missing(path));
    }
    const { operation } = match.route;
    if (operation.type === 'own') return this.#options.authenticator.routes.get(path)?.(req, res);
    // Without this check, a web page could use DNS rebinding to read what a server on its visitor's machine shows to any client.
    const { localAddress } = req.socket;
    const { allowedOrigins: allowed = [], authenticator } = this.#options;
    const { publicOrigin } = authenticator;
    if (!isHostAllowed({ host: req.headers.host, localAddress, allowed, publicOrigin })) {
      return respondError(req, res, 403, HOST_REFUSED);
    }
    if (!isReading(req)) return respondError(req, res, 405, 'only GET and HEAD are allowed here', { Allow: ALLOW });
    if ((req.url ?? '').length > MAX_TARGET_LENGTH) return respondError(req, res, 414, 'the URL is too long');
    if (operation.type === 'page') {
      res.setHeader('Content-Security-Policy', PAGE_POLICY).setHeader('Referrer-Policy', 'no-referrer');
      return respondPrepared(req, res, PAGE[operation.part], CACHE_PUBLIC);
    }
    const sharing = identity === undefined || this.#isAnonymous ? CACHE_PUBLIC : CACHE_PRIVATE;
    if (operation.type === 'document')
      return respondPrepared(req, res, this.#options.openapi[operation.format], sharing);
    const { registry } = operation;
    const sources = this.#visibility.sources(registry, identity);
    if (sources === null) return respondError(req, res, 403, 'forbidden: insufficient claims for registry');
    let body: PreparedBody;
    try {
      body = this.#read(req, operation.type, match.parameters, { registry, sources });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return respondError(req, res, error.status, error.message);
    }
    return respondPrepared(req, res, body, sharing);
  }

  /** @throws ApiError */
  #read(
    req: IncomingMessage,
    type: RegistryOperation['type'],
    [name = '', version = '']: readonly string[],
    request: ApiRequest,
  ): PreparedBody {
    const { api } = this.#options;
    const { url = '' } = req;
    if (type === 'servers') return api.servers(request, listParameters(url));
    const serverName = parseServerName(name);
    if (type === 'versions') return api.versions(request, serverName, parseDetailParameters(url));
    return api.version(request, serverName, parseVersion(version), parseDetailParameters(url));
  }

  #isPublishing(path: string): boolean {
    const [, , name = ''] = path.split('/', 3);
    const registry = `${REGISTRY_PATH}/${name}`;
    return this.#registries.has(name) && path.startsWith(registry) && PUBLISH.test(path.slice(registry.length));
  }

  #missing(path: string): string {
    const [, first, name] = path.split('/', 3);
    const isRegistry = `/${first}` === REGISTRY_PATH && name !== undefined && name !== '';
    return isRegistry && !this.#registries.has(name) ? 'registry not found' : 'not found';
  }
}

function noteQuestion(record: AuditRecord | undefined, { route: { operation }, parameters }: RouteMatch): void {
  if (record === undefined || !('registry' in operation)) return;
  const [server, version] = parameters.map(decodeName);
  record.reads({ operation: operation.type, registry: operation.registry, server, version });
}

/** The decoded name of a server, for audit records; a name that cannot be decoded stays as received. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function isReading({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * The target of a request may be a whole URL (RFC 9112, section 3.2.2); its host is ignored, because the connection has already reached
 * this server.
 */
function toOriginForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/]*/i, '');
}
