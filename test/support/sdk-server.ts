/** MCP servers made with the official SDK (v1) on a loopback port: independent peers for the gateway's backend side. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  EmptyResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { listenOnOwnPort } from './own-port.ts';
import { delegate, startTask, TASK_CAPABILITY, TASK_TOOLS, taskOptions } from './sdk-task-tools.ts';

/** A tool in the form of `tools/list`; further fields are passed on. */
export interface SdkTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: { readonly type: 'object'; readonly [key: string]: unknown };
  readonly [field: string]: unknown;
}

export interface SdkServerOptions {
  readonly transport: 'streamable-http' | 'sse';
  /** Streamable HTTP: respond with JSON bodies instead of event streams. */
  readonly json?: boolean;
  /** Streamable HTTP: a server for each request, and no session ids. */
  readonly isSessionless?: boolean;
  /** Port to listen on; by default a free one. */
  readonly port?: number;
  /** Sent to clients in `initialize`. By default `sdk-server`. */
  readonly name?: string;
  /**
   * Tools in addition to the built-in ones (see `BUILT_IN_TOOLS`); a call returns the tool's name. Those of `STANDING_TOOLS` send a request to
   * the client on the notification stream, as `server.elicitInput()` and `server.createMessage()` do, and return its outcome.
   */
  readonly tools?: readonly SdkTool[];
  /** Whether the server supports tasks, and has `TASK_TOOLS` too. */
  readonly tasks?: boolean;
}

export interface SdkServer {
  readonly url: string;
  readonly port: number;
  /** Number of sessions opened so far, and of those still open. */
  readonly initializations: number;
  readonly openSessions: number;
  /** Number of received calls of `slow`. */
  readonly slowCalls: number;
  /** Number of calls of `slow` that the client cancelled. */
  readonly cancelled: number;
  /** Current resource subscriptions, one for each session. */
  readonly subscriptions: readonly string[];
  /** Notifies the subscribers of a resource of an update. */
  update(uri: string): Promise<void>;
  /** Replaces the tools beyond the built-in ones and notifies every session (`tools/list_changed`). */
  setTools(tools: readonly SdkTool[]): Promise<void>;
  /** Drops all sessions without notice, as a restart does. Streamable HTTP then answers requests in them with 404. */
  forgetSessions(): void;
  /** Closes every connection and keeps listening. */
  dropConnections(): void;
  close(): Promise<void>;
}

/**
 * `echo` returns its arguments as JSON; `progress` sends three progress notifications first; `slow` returns when it is cancelled; `ping_client`,
 * `elicit`, `sample` and `roots` send a request to the client and return its outcome (`elicit` uses `arguments.message`); `log` sends a message
 * of every level; `fail` returns a tool error.
 */
export const BUILT_IN_TOOLS: readonly string[] = [
  'echo',
  'progress',
  'slow',
  'ping_client',
  'elicit',
  'sample',
  'roots',
  'log',
  'fail',
];

/** See `SdkServerOptions.tools`. */
export const STANDING_TOOLS: readonly SdkTool[] = [{ name: 'elicit_standing' }, { name: 'sample_standing' }];

/** See `SdkServerOptions.tools`: returns how often it was called in its session. */
export const COUNT_TOOL: SdkTool = { name: 'count' };

type Transport = StreamableHTTPServerTransport | SSEServerTransport;

class Peer implements SdkServer {
  initializations = 0;
  slowCalls = 0;
  cancelled = 0;
  url = '';
  port = 0;
  readonly #options: SdkServerOptions;
  readonly #http: HttpServer;
  readonly #sessions: Map<string, { server: Server; transport: Transport }> = new Map();
  readonly #subscribed = new Map<Server, Set<string>>();
  #tools: readonly SdkTool[];
  readonly #tasks: ReturnType<typeof taskOptions> | undefined;

  constructor(options: SdkServerOptions) {
    this.#options = options;
    this.#tools = [...(options.tools ?? []), ...(options.tasks === true ? TASK_TOOLS : [])];
    this.#tasks = options.tasks === true ? taskOptions() : undefined;
    this.#http = createServer((request, response) => {
      const answer = options.transport === 'sse' ? this.#sse(request, response) : this.#streamable(request, response);
      answer.catch(() => response.destroy());
    });
  }

  get openSessions(): number {
    return this.#sessions.size;
  }

  async listen(): Promise<this> {
    await listenOnOwnPort(this.#http, this.#options.port);
    this.port = (this.#http.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}/${this.#options.transport === 'sse' ? 'sse' : 'mcp'}`;
    return this;
  }

  async setTools(tools: readonly SdkTool[]): Promise<void> {
    this.#tools = tools;
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.sendToolListChanged()));
  }

  get subscriptions(): readonly string[] {
    return [...this.#sessions.values()].flatMap(({ server }) => [...(this.#subscribed.get(server) ?? [])]);
  }

  async update(uri: string): Promise<void> {
    for (const { server } of this.#sessions.values()) {
      if (this.#subscribed.get(server)?.has(uri)) await server.sendResourceUpdated({ uri });
    }
  }

  forgetSessions(): void {
    this.#sessions.clear();
  }

  dropConnections(): void {
    this.#http.closeAllConnections();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await closed;
  }

  async #streamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#options.isSessionless === true) return this.#answerAlone(request, response);
    const id = request.headers['mcp-session-id'];
    if (id === undefined) return this.#openStreamable(request, response);
    const session = this.#sessions.get(String(id));
    if (session === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
      return;
    }
    await (session.transport as StreamableHTTPServerTransport).handleRequest(request, response);
  }

  async #openStreamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const server = this.#server();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: this.#options.json ?? false,
      onsessioninitialized: id => {
        this.initializations++;
        this.#sessions.set(id, { server, transport });
      },
      onsessionclosed: id => {
        this.#sessions.delete(id);
      },
    });
    await server.connect(transport as Parameters<Server['connect']>[0]);
    await transport.handleRequest(request, response);
  }

  async #answerAlone(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: this.#options.json ?? false });
    const server = this.#server();
    response.on('close', () => void server.close());
    await server.connect(transport as Parameters<Server['connect']>[0]);
    await transport.handleRequest(request, response);
  }

  async #sse(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      const server = this.#server();
      // A client that probes for the stream opens no session yet.
      server.oninitialized = () => {
        this.initializations++;
      };
      this.#sessions.set(transport.sessionId, { server, transport });
      response.on('close', () => this.#sessions.delete(transport.sessionId));
      await server.connect(transport);
      return;
    }
    const session = this.#sessions.get(url.searchParams.get('sessionId') ?? '');
    if (session === undefined) response.writeHead(404).end();
    else await (session.transport as SSEServerTransport).handlePostMessage(request, response);
  }

  #server(): Server {
    const capabilities = {
      tools: { listChanged: true },
      resources: { subscribe: true },
      prompts: {},
      logging: {},
      ...(this.#tasks === undefined ? {} : { tasks: TASK_CAPABILITY }),
    };
    const name = this.#options.name ?? 'sdk-server';
    const server = new Server({ name, version: '1.0.0' }, { capabilities, ...this.#tasks });
    this.#addTools(server);
    addResources(server);
    const subscribed = new Set<string>();
    this.#subscribed.set(server, subscribed);
    server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
      subscribed.add(params.uri);
      return {};
    });
    server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
      subscribed.delete(params.uri);
      return {};
    });
    addPrompts(server);
    return server;
  }

  #addTools(server: Server): void {
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [...BUILT_IN_TOOLS.map(name => ({ name })), ...this.#tools].map(tool => ({
        inputSchema: { type: 'object' as const },
        ...tool,
      })),
    }));
    let calls = 0;
    server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
      const { params } = request;
      if (params.task !== undefined && this.#tasks !== undefined) return startTask(server, request, extra);
      const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
      const told = (asked: Promise<unknown>) =>
        asked.then(
          result => text(JSON.stringify(result)),
          error => text(`refused with ${(error as { code?: number }).code}`),
        );
      switch (params.name) {
        case 'echo':
          return text(JSON.stringify(params.arguments ?? {}));
        case 'progress': {
          const progressToken = params._meta?.progressToken;
          for (let progress = 1; progressToken !== undefined && progress <= 3; progress++) {
            const progressParams = { progressToken, progress, total: 3 };
            await extra.sendNotification({ method: 'notifications/progress', params: progressParams });
          }
          return text('done');
        }
        case 'slow':
          this.slowCalls++;
          await new Promise(resolve => extra.signal.addEventListener('abort', resolve));
          this.cancelled++;
          return text('cancelled');
        case 'ping_client':
          await extra.sendRequest({ method: 'ping' }, EmptyResultSchema);
          return text('pong');
        case 'elicit': {
          const elicitation = {
            mode: 'form' as const,
            message: String(params.arguments?.message ?? 'Name?'),
            requestedSchema: { type: 'object' as const, properties: {} },
          };
          return told(extra.sendRequest({ method: 'elicitation/create', params: elicitation }, ElicitResultSchema));
        }
        case 'sample': {
          const content = { type: 'text' as const, text: 'Capital of France?' };
          const sampling = { messages: [{ role: 'user' as const, content }], maxTokens: 10 };
          return told(
            extra.sendRequest({ method: 'sampling/createMessage', params: sampling }, CreateMessageResultSchema),
          );
        }
        case 'elicit_standing':
          return told(server.elicitInput({ message: 'Name?', requestedSchema: { type: 'object', properties: {} } }));
        case 'sample_standing': {
          const content = { type: 'text' as const, text: 'Capital of France?' };
          return told(server.createMessage({ messages: [{ role: 'user', content }], maxTokens: 10 }));
        }
        case 'roots':
          return told(extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema));
        case 'delegate':
          return text(JSON.stringify(await delegate(extra)));
        case 'log':
          for (const level of ['debug', 'info', 'warning', 'error'] as const) {
            await server.sendLoggingMessage({ level, data: `a message of level ${level}` }, extra.sessionId);
          }
          return text('logged');
        case 'count':
          return text(String(++calls));
        case 'fail':
          return { ...text('it failed'), isError: true };
        default:
          return text(params.name);
      }
    });
  }
}

function addResources(server: Server): void {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [{ uri: 'memo://one', name: 'one', mimeType: 'text/plain' }],
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'memo://{name}', name: 'memo' }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => ({
    contents: [{ uri: params.uri, mimeType: 'text/plain', text: `content of ${params.uri}` }],
  }));
}

function addPrompts(server: Server): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: 'greet' }] }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: [
      { role: 'user' as const, content: { type: 'text' as const, text: `greet ${params.arguments?.who ?? 'you'}` } },
    ],
  }));
}

/** Starts a server on a free loopback port. The caller closes it. */
export function startSdkServer(options: SdkServerOptions): Promise<SdkServer> {
  return new Peer(options).listen();
}
