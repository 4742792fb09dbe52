/** Pages for probes, Prometheus and people, at a separate address: they require no token. */
import { type AddressInfo, isIP } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { validateHost } from '#schemas';
import { type Address, formatListenProblem } from '#shared/util';
import { ListenError } from './listen-error.ts';
import type { ControllerMetrics } from './metrics.ts';

export interface InternalServerOptions {
  readonly address: Address;
  readonly metrics: Pick<ControllerMetrics, 'page'>;
  /** What this process still waits for; empty when ready. A standby controller is ready, too, because it could lead immediately. */
  readonly missing: () => readonly string[];
  /** A complete HTML document. */
  readonly dashboard: () => string;
}

export class InternalServer implements AsyncDisposable {
  readonly #app: FastifyInstance;
  readonly url: string;

  /** @throws ListenError */
  static async start(options: InternalServerOptions): Promise<InternalServer> {
    const { host, port } = options.address;
    const app = createApp(options);
    try {
      await app.listen({ host, port });
    } catch (error) {
      throw new ListenError(formatListenProblem('--metrics-address', options.address, error));
    }
    return new InternalServer(app, host);
  }

  private constructor(app: FastifyInstance, host: string) {
    this.#app = app;
    this.url = `http://${addBrackets(host)}:${(app.server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app.close();
  }
}

function createApp({ metrics, missing, dashboard }: InternalServerOptions): FastifyInstance {
  const app = Fastify({ requestTimeout: 10_000, http: { headersTimeout: 5_000 }, forceCloseConnections: true });
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' });
    const violation = validateHost(request.raw.rawHeaders);
    if (violation !== undefined) void reply.code(400).header('connection', 'close').send(`${violation}\n`);
    // The connection is closed, because unread data of such a request would be parsed as the next request.
    else if (request.method !== 'GET' && request.method !== 'HEAD')
      void reply.code(405).header('connection', 'close').send('only GET and HEAD\n');
    else done();
  });
  app.setErrorHandler((_error, _request, reply) => reply.code(500).send('internal error\n'));
  app.setNotFoundHandler((_request, reply) => reply.code(404).send('not found\n'));
  app.get('/healthz', (_request, reply) => reply.send('ok\n'));
  app.get('/readyz', (_request, reply) => {
    const names = missing();
    return names.length === 0 ? reply.send('ok\n') : reply.code(503).send(`waiting for ${names.join(', ')}\n`);
  });
  app.get('/metrics', async (request, reply) => {
    if (!isOwnName(getRequestedHost(request))) return reply.code(421).send(MISDIRECTED);
    const { type, text } = await metrics.page();
    return reply.type(type).send(text);
  });
  app.get('/', (request, reply) =>
    isOwnName(getRequestedHost(request))
      ? reply.headers(OF_PAGES).type('text/html; charset=utf-8').send(dashboard())
      : reply.code(421).send(MISDIRECTED),
  );
  app.get('/favicon.ico', (_request, reply) => reply.code(204).send());
  return app;
}

/** Headers of pages. The document has its own content policy, but only a header can prevent framing by other sites. */
const OF_PAGES = {
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const MISDIRECTED =
  'the dashboard and the metrics are served at localhost, IP addresses and names of Services only: use `kubectl port-forward`\n';

/**
 * The host that a request is for. A request target may contain a host, which takes precedence over the header.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
 */
function getRequestedHost({ raw: { url = '/' }, hostname }: FastifyRequest): string | undefined {
  return url.startsWith('/') ? hostname : URL.parse(url)?.hostname;
}

/**
 * Whether a request names this server as an operator would. Any site can let a host name of its own point here (DNS rebinding), and would then read
 * the page in an operator's browser.
 */
function isOwnName(hostname: string | undefined): boolean {
  if (hostname === undefined) return false;
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return isIP(name) !== 0 || !name.includes('.') || /\.svc(?:\.cluster\.local)?$/.test(name);
}

/** A host as it is written before a port: IPv6 addresses need brackets. */
function addBrackets(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
