/** An MCP server of the stateless revision, made with the official SDK (v2) on a loopback port. */
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, inputRequired, type McpHttpHandler, Server } from '@modelcontextprotocol/server';
import { listenOnOwnPort } from './own-port.ts';
import type { SdkServer, SdkTool } from './sdk-server.ts';

export interface StatelessServerOptions {
  /** Port to listen on; by default a free one. */
  readonly port?: number;
  /** Sent in `server/discover`. By default `stateless-server`. */
  readonly name?: string;
  readonly tools?: readonly SdkTool[];
  /** Whether the server also answers `initialize`, like a server of both eras. By default it refuses that. */
  readonly isDual?: boolean;
}

export interface StatelessServer extends SdkServer {
  /** Received requests, by method, with the headers. */
  readonly requests: { readonly method: string; readonly headers: IncomingMessage['headers']; readonly body: string }[];
  readonly openStreams: number;
}

/**
 * `echo`, `progress`, `slow` and `fail` are like those of `startSdkServer`. `elicit` elicits a name and returns it; `ask_twice` elicits again;
 * `envelope` returns the `_meta` of its request; `log` sends a log message at each level.
 */
export const STATELESS_TOOLS: readonly string[] = [
  'echo',
  'progress',
  'slow',
  'elicit',
  'ask_twice',
  'everything',
  'wait',
  'envelope',
  'log',
  'fail',
];

/** Starts a server on a free loopback port. The caller closes it. */
export function startStatelessServer(options: StatelessServerOptions = {}): Promise<StatelessServer> {
  return new Peer(options).listen();
}

class Peer implements StatelessServer {
  readonly requests: { method: string; headers: IncomingMessage['headers']; body: string }[] = [];
  readonly openSessions = 0;
  slowCalls = 0;
  cancelled = 0;
  openStreams = 0;
  url = '';
  port = 0;
  readonly #options: StatelessServerOptions;
  readonly #http: HttpServer;
  readonly #handler: McpHttpHandler;
  #tools: readonly SdkTool[];

  constructor(options: StatelessServerOptions) {
    this.#options = options;
    this.#tools = options.tools ?? [];
    this.#handler = createMcpHandler(() => this.#server(), {
      legacy: options.isDual === true ? 'stateless' : 'reject',
    });
    this.#http = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** Number of `server/discover` requests. */
  get initializations(): number {
    return this.requests.filter(({ method }) => method === 'server/discover').length;
  }

  async listen(): Promise<this> {
    await listenOnOwnPort(this.#http, this.#options.port);
    this.port = (this.#http.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}/mcp`;
    return this;
  }

  async setTools(tools: readonly SdkTool[]): Promise<void> {
    this.#tools = tools;
    this.#handler.notify.toolsChanged();
  }

  async update(uri: string): Promise<void> {
    this.#handler.notify.resourceUpdated(uri);
  }

  /** The resources to which the last stream subscribes. */
  get subscriptions(): readonly string[] {
    const listen = this.requests.findLast(({ method }) => method === 'subscriptions/listen');
    const { params } = JSON.parse(listen?.body ?? '{}') as {
      params?: { notifications?: { resourceSubscriptions?: string[] } };
    };
    return params?.notifications?.resourceSubscriptions ?? [];
  }

  forgetSessions(): void {}

  dropConnections(): void {
    this.#http.closeAllConnections();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await Promise.all([closed, this.#handler.close()]);
  }

  /** Adapts Node's HTTP to the SDK's `fetch`. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const { headers, method = '' } = request;
    this.requests.push({ method: methodOf(body), headers, body });
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const init = { method, headers: headers as Record<string, string>, signal: gone.signal };
    const answer = await this.#handler.fetch(new Request(this.url, method === 'POST' ? { ...init, body } : init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    this.openStreams++;
    response.on('close', () => this.openStreams--);
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  }

  #server(): Server {
    const server = new Server(
      { name: this.#options.name ?? 'stateless-server', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {} } },
    );
    server.setRequestHandler('tools/list', async () => ({
      tools: [...STATELESS_TOOLS.map(name => ({ name })), ...this.#tools].map(tool => ({
        inputSchema: { type: 'object' as const },
        ...tool,
      })),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
      const { inputResponses } = mcpReq;
      const ask = (message: string) =>
        inputRequired.elicit({
          message,
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
        });
      switch (params.name) {
        case 'echo':
          return text(JSON.stringify(params.arguments ?? {}));
        case 'progress': {
          const progressToken = mcpReq._meta?.progressToken;
          for (let progress = 1; progressToken !== undefined && progress <= 3; progress++) {
            await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
          }
          return text('done');
        }
        case 'slow':
          this.slowCalls++;
          await new Promise(resolve => mcpReq.signal.addEventListener('abort', resolve));
          this.cancelled++;
          return text('cancelled');
        case 'elicit':
          if (inputResponses === undefined) {
            return inputRequired({ inputRequests: { who: ask('Name?') }, requestState: 'first "state"' });
          }
          return text(`${JSON.stringify(inputResponses.who)} ${JSON.stringify(mcpReq.requestState())}`);
        case 'ask_twice':
          if (inputResponses === undefined)
            return inputRequired({ inputRequests: { a: ask('First?') }, requestState: '1' });
          if (mcpReq.requestState() === '1')
            return inputRequired({ inputRequests: { b: ask('Second?') }, requestState: '2' });
          return text(
            `${Object.keys(inputResponses)} ${mcpReq.requestState()} ${'x'.repeat(Number(params.arguments?.size ?? 0))}`,
          );
        case 'everything':
          if (inputResponses === undefined) {
            const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: '2+2?' } }];
            return inputRequired({
              inputRequests: {
                who: ask('Name?'),
                sum: inputRequired.createMessage({ messages, maxTokens: 10 }),
                roots: inputRequired.listRoots(),
              },
            });
          }
          return text(JSON.stringify(inputResponses));
        case 'wait':
          return mcpReq.requestState() === undefined ? inputRequired({ requestState: 'later' }) : text('now');
        case 'envelope':
          return text(JSON.stringify({ ...mcpReq.envelope, ...mcpReq._meta }));
        case 'log':
          for (const level of ['debug', 'info', 'error'] as const) await mcpReq.log(level, level);
          return text('logged');
        case 'fail':
          return { ...text('it failed'), isError: true };
        default:
          return text(params.name);
      }
    });
    server.setRequestHandler('resources/list', async () => ({ resources: [{ uri: 'memo://one', name: 'one' }] }));
    server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [] }));
    server.setRequestHandler('resources/read', async ({ params }) => ({
      contents: [{ uri: params.uri, mimeType: 'text/plain', text: `content of ${params.uri}` }],
    }));
    server.setRequestHandler('prompts/list', async () => ({ prompts: [{ name: 'greet' }] }));
    server.setRequestHandler('prompts/get', async ({ params }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `greet ${params.arguments?.who ?? 'you'}` } }],
    }));
    return server;
  }
}

function methodOf(body: string): string {
  try {
    return (JSON.parse(body) as { method?: string }).method ?? '';
  } catch {
    return '';
  }
}
