/** A hand-written HTTP server on a loopback port, for backends that behave in ways that an SDK does not allow. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenOnOwnPort } from './own-port.ts';

/** A request whose body was read. `message` is the body as JSON, or undefined. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  readonly message: any;
}

export type RawHandler = (request: RawRequest, response: ServerResponse) => void | Promise<void>;

export interface RawServer {
  readonly origin: string;
  readonly port: number;
  /** All received requests. */
  readonly requests: RawRequest[];
  /** Number of accepted connections. */
  readonly connections: number;
  /** Resolves with the first matching request, past or future; rejects after a time that suffices even if the machine is ten times busier. */
  waitFor(fits: (request: RawRequest) => boolean): Promise<RawRequest>;
  dropConnections(): void;
  close(): Promise<void>;
}

/** Starts a server on a loopback port, by default a free one. The caller closes it. */
export async function startRawServer(handler: RawHandler, listenOn = 0): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const waiting = new Set<() => void>();
  let connections = 0;
  const http = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', chunk => chunks.push(chunk));
    incoming.on('end', async () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { method = '', url = '', headers } = incoming;
      const request = { method, path: url, headers, body, message: parsed(body) };
      requests.push(request);
      for (const check of waiting) check();
      await handler(request, response);
    });
  });
  http.on('connection', () => connections++);
  await listenOnOwnPort(http, listenOn);
  const { port } = http.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    waitFor(fits) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error('no such request came'));
        }, 100_000);
        const check = () => {
          const found = requests.find(fits);
          if (found === undefined) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      });
    },
    dropConnections: () => http.closeAllConnections(),
    async close() {
      const closed = new Promise<void>(resolve => http.close(() => resolve()));
      http.closeAllConnections();
      await closed;
    },
  };
}

/** Sends a response with a JSON body. */
export function sendJson(
  response: ServerResponse,
  json: string,
  headers: Record<string, string> = {},
  status = 200,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(json);
}

/** Begins a response with an event stream; the caller writes the events. */
export function openEvents(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
}

/** The text of one event around JSON text. */
export function eventText(json: string, type = 'message'): string {
  return `event: ${type}\ndata: ${json}\n\n`;
}

/** A minimal result of `initialize`. */
export const IDENTITY: object = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'raw', version: '1' },
};

/**
 * Handles the handshake of a Streamable HTTP session and its notifications, and passes every other request to `rest`. With `sessionId` undefined
 * the server is sessionless; `capabilities` replaces the default, tools. Answers GET with 405, DELETE with 204.
 */
export function withHandshake(rest: RawHandler, sessionId?: string, capabilities?: object): RawHandler {
  return (request, response) => {
    const { message, method } = request;
    if (method === 'GET') response.writeHead(405).end();
    else if (method === 'DELETE') response.writeHead(204).end();
    else if (message?.method === 'initialize') {
      const answer = JSON.stringify({
        jsonrpc: '2.0',
        id: message.id,
        result: { ...IDENTITY, ...(capabilities && { capabilities }) },
      });
      sendJson(response, answer, sessionId === undefined ? {} : { 'mcp-session-id': sessionId });
    } else if (message?.method?.startsWith('notifications/')) response.writeHead(202).end();
    else return rest(request, response);
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
