/** Backends with the items that a test sets, each at a path of one server of the official SDK. They record the requests that they answer. */
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { listenOnOwnPort } from '../../support/own-port.ts';

export interface OfferedTool {
  readonly name: string;
  readonly annotations?: { readonly [hint: string]: boolean };
  /** The schemas of arguments by name; all arguments are optional. */
  readonly properties: { readonly [name: string]: object };
}

export interface Offer {
  tools: readonly OfferedTool[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly templates: readonly string[];
}

/** A request that a backend answered. */
export interface Reached {
  readonly backend: string;
  /** The backend's own name of the tool or prompt, or the URI. */
  readonly name: string;
}

export class OfferedBackends implements AsyncDisposable {
  readonly offers: Map<string, Offer> = new Map();
  /** The requests since the last call of `forget`. */
  readonly reached: Reached[] = [];
  readonly #http: HttpServer = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<OfferedBackends> {
    const backends = new OfferedBackends();
    await listenOnOwnPort(backends.#http);
    return backends;
  }

  url(backend: string): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/${backend}/mcp`;
  }

  forget(): void {
    this.reached.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>(resolve => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, backend = ''] = (request.url ?? '').split('/');
    const offer = this.offers.get(backend);
    if (offer === undefined || request.method !== 'POST') {
      response.writeHead(offer === undefined ? 404 : 405).end();
      return;
    }
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = this.#server(backend, offer);
    response.on('close', () => void server.close());
    await server.connect(transport as Parameters<Server['connect']>[0]);
    await transport.handleRequest(request, response);
  }

  #server(backend: string, offer: Offer): Server {
    const server = new Server(
      { name: backend, version: '1.0.0' },
      { capabilities: { tools: {}, prompts: {}, resources: {} } },
    );
    const reached = (name: string) => this.reached.push({ backend, name });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: offer.tools.map(({ properties, ...tool }) => ({
        ...tool,
        inputSchema: { type: 'object' as const, properties },
      })),
    }));
    server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: offer.prompts.map(name => ({ name })) }));
    server.setRequestHandler(ListResourcesRequestSchema, () => ({
      resources: offer.resources.map(uri => ({ uri, name: uri })),
    }));
    server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
      resourceTemplates: offer.templates.map(uriTemplate => ({ uriTemplate, name: uriTemplate })),
    }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      reached(params.name);
      return { content: [{ type: 'text', text: params.name }] };
    });
    server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
      reached(params.name);
      return { messages: [{ role: 'user', content: { type: 'text', text: params.name } }] };
    });
    server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => {
      reached(params.uri);
      return { contents: [{ uri: params.uri, text: params.uri }] };
    });
    return server;
  }
}
