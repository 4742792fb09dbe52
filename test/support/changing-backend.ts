/** A backend that becomes another one at the same address, without breaking a connection, like a deployment behind a proxy. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, inputRequired, Server as StatelessServer } from '@modelcontextprotocol/server';
import { listenOnOwnPort } from './own-port.ts';

/** `stateless`: SDK v2. `session` and `sse`: SDK v1 over Streamable HTTP and HTTP+SSE. */
export type BackendEra = 'stateless' | 'session' | 'sse';

export interface ChangingBackend {
  readonly url: string;
  readonly era: BackendEra;
  /**
   * Replaces the server at the address by one of this era. Running requests continue as they began; sessions accept no new request, unless the
   * old server drains.
   */
  become(era: BackendEra, options?: { readonly drains?: boolean }): void;
  /** While true, it answers with HTTP 503. */
  isAway: boolean;
  /** Received requests, by method and era. */
  readonly requests: { readonly era: BackendEra; readonly method: string; readonly body: string }[];
  /** Calls that a tool received, by nonce: their `_meta`. */
  readonly calls: Map<string, { readonly [name: string]: unknown }>;
  /** The nonces of cancelled calls, in order. */
  readonly cancelled: string[];
  /** Pending calls of `meet` and `slow`. */
  readonly waiting: number;
  /** Notifies all subscribers of a resource. */
  update(uri: string): Promise<void>;
  /** Ends the notification streams, as a server does that has drained. */
  endStreams(): void;
  close(): Promise<void>;
}

interface Call {
  readonly nonce: string;
  readonly signal: AbortSignal;
  /** How many calls must arrive before all of them continue. */
  readonly of: number;
  /** Sends progress, which keeps the call alive. */
  breathe(): Promise<void>;
}

/** Milliseconds between two progress notifications of a waiting call. */
const BREATH_MS = 100;

/**
 * Every response names the `nonce` of its request. `meet` responds when as many calls have arrived as its argument `of` says, and sends progress
 * until then. `slow` is silent and never responds, `elicit` elicits a name first, and `later` needs a second attempt from stateless clients.
 */
export async function startChangingBackend(first: BackendEra): Promise<ChangingBackend> {
  const backend = new Peer(first);
  return backend.listen();
}

class Peer implements ChangingBackend {
  era: BackendEra;
  isAway = false;
  url = '';
  readonly requests: { era: BackendEra; method: string; body: string }[] = [];
  readonly calls = new Map<string, { readonly [name: string]: unknown }>();
  readonly cancelled: string[] = [];
  readonly #sessions = new Map<
    string,
    { server: Server; transport: StreamableHTTPServerTransport | SSEServerTransport }
  >();
  readonly #stateless = createMcpHandler(() => this.#statelessServer(), { legacy: 'reject' });
  readonly #streams = new Set<ServerResponse>();
  readonly #meeting = new Map<Call, () => void>();
  readonly #http = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });

  constructor(era: BackendEra) {
    this.era = era;
  }

  async listen(): Promise<this> {
    await listenOnOwnPort(this.#http);
    this.url = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
    return this;
  }

  become(era: BackendEra, { drains = false } = {}): void {
    this.era = era;
    if (!drains) this.#sessions.clear();
  }

  get waiting(): number {
    return this.#meeting.size;
  }

  async update(uri: string): Promise<void> {
    this.#stateless.notify.resourceUpdated(uri);
    for (const { server } of this.#sessions.values()) {
      if (subscribed.get(server)?.has(uri) === true) await server.sendResourceUpdated({ uri });
    }
  }

  endStreams(): void {
    for (const response of this.#streams) response.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await Promise.all([closed, this.#stateless.close()]);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { era } = this;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    this.requests.push({ era, method: methodOf(body) ?? String(request.method), body });
    if (body === '' || body.includes('subscriptions/listen')) {
      this.#streams.add(response);
      response.on('close', () => this.#streams.delete(response));
    }
    if (this.isAway) return void response.writeHead(503).end();
    const message = body === '' ? undefined : JSON.parse(body);
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    const id = request.headers['mcp-session-id'] ?? searchParams.get('sessionId') ?? '';
    const session = this.#sessions.get(String(id));
    if (session?.transport instanceof SSEServerTransport) {
      return session.transport.handlePostMessage(request, response, message);
    }
    if (session !== undefined) return session.transport.handleRequest(request, response, message);
    if (pathname !== '/mcp') return void response.writeHead(404).end();
    if (era === 'stateless') return this.#answerStateless(request, response, body);
    if (era === 'sse') return this.#openSse(request, response);
    if (id !== '') return void response.writeHead(404).end();
    const server = this.#server();
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => void this.#sessions.set(id, { server, transport }),
    });
    await server.connect(transport as Parameters<Server['connect']>[0]);
    await transport.handleRequest(request, response, message);
  }

  async #openSse(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET') return void response.writeHead(405).end();
    const transport = new SSEServerTransport('/messages', response);
    const server = this.#server();
    this.#sessions.set(transport.sessionId, { server, transport });
    response.on('close', () => this.#sessions.delete(transport.sessionId));
    await server.connect(transport);
  }

  async #answerStateless(
    { method = '', headers }: IncomingMessage,
    response: ServerResponse,
    body: string,
  ): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const init = { method, headers: headers as Record<string, string>, signal: gone.signal };
    const answer = await this.#stateless.fetch(new Request(this.url, method === 'POST' ? { ...init, body } : init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  }

  /** Holds a call until as many have arrived as it needs. */
  async #wait(call: Call): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#meeting.set(call, resolve);
    call.signal.addEventListener('abort', () => {
      if (!this.#meeting.has(call)) return;
      this.cancelled.push(call.nonce);
      resolve();
    });
    const breathing = setInterval(() => call.breathe().catch(() => {}), BREATH_MS);
    const met = [...this.#meeting].filter(([{ of }]) => of === call.of);
    if (met.length === call.of) for (const [, meet] of met) meet();
    await promise;
    clearInterval(breathing);
    this.#meeting.delete(call);
  }

  #server(): Server {
    const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} };
    const server = new Server({ name: 'v1', version: '1' }, { capabilities });
    server.setRequestHandler(ListToolsRequestSchema, () => TOOLS);
    server.setRequestHandler(ListPromptsRequestSchema, () => PROMPTS);
    server.setRequestHandler(ListResourcesRequestSchema, () => RESOURCES);
    server.setRequestHandler(ListResourceTemplatesRequestSchema, () => TEMPLATES);
    server.setRequestHandler(GetPromptRequestSchema, ({ params }) => prompt(params.arguments));
    server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => contents(params.uri));
    server.setRequestHandler(CompleteRequestSchema, ({ params }) => completion(params.argument.value));
    const uris = new Set<string>();
    subscribed.set(server, uris);
    server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
      uris.add(params.uri);
      return {};
    });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendRequest, sendNotification }) => {
      const nonce = nonceIn(params.arguments);
      this.calls.set(nonce, params._meta ?? {});
      const progressToken = params._meta?.progressToken;
      let progress = 0;
      const breathe = async () => {
        if (progressToken === undefined) return;
        await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: ++progress } });
      };
      if (params.name === 'meet') await this.#wait({ nonce, signal, of: Number(params.arguments?.of), breathe });
      else if (params.name === 'slow') await this.#wait({ nonce, signal, of: Number.NaN, breathe: async () => {} });
      if (params.name !== 'elicit') return text(nonce);
      const asked = { ...QUESTION, mode: 'form' as const };
      return sendRequest({ method: 'elicitation/create', params: asked }, ElicitResultSchema).then(
        answer => text(`${nonce} ${JSON.stringify(answer)}`),
        ({ code }) => text(`${nonce} refused with ${code}`),
      );
    });
    return server;
  }

  #statelessServer(): StatelessServer {
    // The SDK ends a stream at once if it has nothing to send on it.
    const tools = { listChanged: true };
    const capabilities = { tools, resources: { subscribe: true }, prompts: {}, completions: {} };
    const server = new StatelessServer({ name: 'v2', version: '1' }, { capabilities });
    server.setRequestHandler('tools/list', async () => TOOLS);
    server.setRequestHandler('prompts/list', async () => PROMPTS);
    server.setRequestHandler('resources/list', async () => RESOURCES);
    server.setRequestHandler('resources/templates/list', async () => TEMPLATES);
    server.setRequestHandler('prompts/get', async ({ params }) => prompt(params.arguments));
    server.setRequestHandler('resources/read', async ({ params }) => contents(params.uri));
    server.setRequestHandler('completion/complete', async ({ params }) => completion(params.argument.value));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const nonce = nonceIn(params.arguments);
      const { signal, inputResponses } = mcpReq;
      this.calls.set(nonce, { ...mcpReq._meta });
      const progressToken = mcpReq._meta?.progressToken;
      let progress = 0;
      const breathe = async () => {
        if (progressToken === undefined) return;
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: ++progress } });
      };
      if (params.name === 'meet') await this.#wait({ nonce, signal, of: Number(params.arguments?.of), breathe });
      else if (params.name === 'slow') await this.#wait({ nonce, signal, of: Number.NaN, breathe: async () => {} });
      if (params.name === 'later' && mcpReq.requestState() === undefined)
        return inputRequired({ requestState: 'later' });
      if (params.name !== 'elicit') return text(nonce);
      if (inputResponses === undefined) {
        return inputRequired({ inputRequests: { name: inputRequired.elicit(QUESTION) }, requestState: 'asked' });
      }
      return text(`${nonce} ${JSON.stringify(inputResponses.name)}`);
    });
    return server;
  }
}

const subscribed = new WeakMap<Server, Set<string>>();

const QUESTION = { message: 'Name?', requestedSchema: { type: 'object' as const, properties: {} } };
const TOOLS = {
  tools: ['echo', 'meet', 'slow', 'elicit', 'later'].map(name => ({ name, inputSchema: { type: 'object' as const } })),
};
const PROMPTS = { prompts: [{ name: 'greet' }] };
const RESOURCES = { resources: [{ uri: 'memo://one', name: 'one' }] };
const TEMPLATES = { resourceTemplates: [{ uriTemplate: 'memo://{name}', name: 'memo' }] };

const nonceIn = (args: { readonly [name: string]: unknown } | undefined): string => String(args?.nonce);
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const prompt = (args: { readonly [name: string]: unknown } | undefined) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: nonceIn(args) } }],
});
const contents = (uri: string) => ({ contents: [{ uri, text: `content of ${uri}` }] });
const completion = (value: string) => ({ completion: { values: [value], total: 1, hasMore: false } });

function methodOf(body: string): string | undefined {
  return body === '' ? undefined : (JSON.parse(body) as { method?: string }).method;
}
