/**
 * An MCP server of both eras, made with the official SDK (v2) on a loopback port: sessions of 2025-11-25 and stateless requests at one address,
 * combined as the SDK recommends.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { listenOnOwnPort } from './own-port.ts';

export interface DualServer {
  readonly url: string;
  /** Methods of the received requests, with the era that served each. */
  readonly requests: readonly { readonly method: string; readonly isSession: boolean }[];
  /** From now on it opens no sessions and has dropped the existing ones, like an updated server. */
  dropSessions(): void;
  /** Notifies the subscribers of `memo://one` of an update. */
  update(): Promise<void>;
  close(): Promise<void>;
}

const URI = 'memo://one';

/**
 * Its tool `ask` elicits a name during the call, `sample` requests a completion, `era` returns the era of the call, and `log` sends a log
 * message.
 */
export async function startDualServer(): Promise<DualServer> {
  const peer = new Peer();
  await listenOnOwnPort(peer.http);
  peer.url = `http://127.0.0.1:${(peer.http.address() as AddressInfo).port}/mcp`;
  return peer;
}

class Peer implements DualServer {
  url = '';
  readonly http: HttpServer;
  readonly requests: { method: string; isSession: boolean }[] = [];
  readonly #stateless = createMcpHandler(({ era }) => this.#server(era), { legacy: 'reject' });
  readonly #sessions = new Map<string, { server: McpServer; transport: WebStandardStreamableHTTPServerTransport }>();
  readonly #subscribed = new Set<McpServer>();
  #opensSessions = true;

  constructor() {
    this.http = createServer(async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const { method = '' } = incoming;
      const body = method === 'POST' ? { body: Buffer.concat(chunks).toString('utf8') } : {};
      const gone = new AbortController();
      response.on('close', () => gone.abort());
      const headers = incoming.headers as Record<string, string>;
      const answer = await this.#fetch(new Request(this.url, { method, headers, signal: gone.signal, ...body }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders();
      try {
        for await (const chunk of answer.body ?? []) response.write(chunk);
      } finally {
        response.end();
      }
    });
  }

  dropSessions(): void {
    this.#opensSessions = false;
    this.#sessions.clear();
  }

  async update(): Promise<void> {
    for (const server of this.#subscribed) await server.server.sendResourceUpdated({ uri: URI });
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.http.close(() => resolve()));
    this.http.closeAllConnections();
    await Promise.all([closed, this.#stateless.close()]);
  }

  async #fetch(request: Request): Promise<Response> {
    const isSession = this.#opensSessions && (await isLegacyRequest(request.clone()));
    if (request.method === 'POST') {
      const { method } = (await request.clone().json()) as { method?: string };
      if (method !== undefined) this.requests.push({ method, isSession });
    }
    return isSession ? this.#inSession(request) : this.#stateless.fetch(request);
  }

  async #inSession(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const session = this.#sessions.get(id ?? '');
    if (session !== undefined) return session.transport.handleRequest(request);
    if (id !== null) return new Response(null, { status: 404 });
    const server = this.#server('legacy');
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: opened => void this.#sessions.set(opened, { server, transport }),
    });
    await server.connect(transport);
    return transport.handleRequest(request);
  }

  #server(era: 'legacy' | 'modern'): McpServer {
    const capabilities = { logging: {}, resources: { subscribe: true } };
    const server = new McpServer({ name: 'dual', version: '1' }, { capabilities });
    const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
    const told = (asked: Promise<unknown>) =>
      asked.then(
        answer => text(JSON.stringify(answer)),
        error => text(`refused: ${(error as Error).message}`),
      );
    server.registerTool('era', {}, () => text(era));
    server.registerTool('ask', {}, ({ mcpReq }) =>
      told(mcpReq.elicitInput({ message: 'Name?', requestedSchema: { type: 'object', properties: {} } })),
    );
    server.registerTool('sample', {}, ({ mcpReq }) =>
      told(
        mcpReq.requestSampling({ messages: [{ role: 'user', content: { type: 'text', text: '2+2?' } }], maxTokens: 9 }),
      ),
    );
    server.registerTool('log', {}, async ({ mcpReq }) => {
      await mcpReq.log('warning', 'a warning');
      return text('logged');
    });
    server.registerResource('one', URI, {}, () => ({ contents: [{ uri: URI, text: '1' }] }));
    server.server.setRequestHandler('resources/subscribe', () => {
      this.#subscribed.add(server);
      return {};
    });
    server.server.setRequestHandler('resources/unsubscribe', () => ({}));
    return server;
  }
}
