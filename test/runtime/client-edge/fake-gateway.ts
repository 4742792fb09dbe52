import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createLogger } from '#runtime';
import { type Listener, type ListenerTimes, startListener } from '../../../runtime/http/listener.ts';
import type { Envelope } from '../../../runtime/mcp/envelope.ts';
import type { ClientResponder, ClientSession, McpHandler } from '../../../runtime/mcp/handler.ts';
import { createSseEndpoint, type SseEndpoint, type SseEndpointOptions } from '../../../runtime/mcp/sse/sse-endpoint.ts';
import type { StatelessHandler } from '../../../runtime/mcp/stateless/handler.ts';
import {
  createMcpEndpoint,
  type McpEndpoint,
  type McpEndpointOptions,
} from '../../../runtime/mcp/streamable-http/endpoint.ts';
import { WIRE_CODE, WireError } from '../../../runtime/mcp/wire-error.ts';
import { fakeStatelessCore } from './fake-stateless.ts';

/** How the fake core handles a request by its method. */
export type Behaviour = (answer: ClientResponder, envelope: Envelope, session: ClientSession<string>) => void;

export interface Gateway {
  readonly url: string;
  readonly listener: Listener;
  readonly endpoint: McpEndpoint;
  readonly sse: SseEndpoint;
  /** Messages that the core received, oldest first. */
  readonly heard: string[];
  /** Opened sessions, oldest first. */
  readonly sessions: ClientSession<string>[];
  /** Lets the core answer the requests `initialize` whose parameter `slow` is true. */
  finishInitialize(): void;
  /** Number of open responses in the gateway. */
  openAnswers(): number;
  /** Breaks the connections of all open responses. */
  breakAnswers(): void;
}

const TOOLS = '{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}';

/** Starts the client side of a gateway on a free loopback port. Its fake core answers `ping`, `tools/list` and what the test sets. */
export async function startGateway(
  behaviours: { readonly [method: string]: Behaviour } = {},
  {
    stateless = fakeStatelessCore(),
    times,
    ...options
  }: Partial<McpEndpointOptions & SseEndpointOptions> & {
    stateless?: StatelessHandler;
    times?: ListenerTimes;
  } = {},
  overrides: Partial<McpHandler<string>> = {},
): Promise<Gateway> {
  const heard: string[] = [];
  const sessions: ClientSession<string>[] = [];
  const answers = new Set<ServerResponse>();
  const slow = Promise.withResolvers<void>();
  const handler: McpHandler<string> = {
    initialize({ params, protocolVersion }) {
      if (params.refuse === true) throw new WireError(WIRE_CODE.invalidParams, 'refused by the core');
      if (params.crash === true) throw new Error('secret detail');
      const serverInfo = { name: 'fake', version: '1' };
      const capabilities = { tools: { listChanged: true } };
      const result = JSON.stringify({ protocolVersion, capabilities, serverInfo });
      const outcome = { session: 'payload', result };
      return params.slow === true ? slow.promise.then(() => outcome) : outcome;
    },
    opened: session => void sessions.push(session),
    request(session, envelope, answer) {
      const behaviour = behaviours[envelope.method];
      if (behaviour !== undefined) behaviour(answer, envelope, session);
      else if (envelope.method === 'ping') answer.result('{}');
      else if (envelope.method === 'tools/list') answer.result(TOOLS);
      else answer.error(new WireError(WIRE_CODE.methodNotFound, 'method not found'));
    },
    notification: (_, envelope) => {
      heard.push(`notification ${envelope.method}`);
      if (envelope.method === 'notifications/crash') throw new Error('secret detail');
    },
    response: (_, envelope) => void heard.push(`response ${envelope.id}`),
    listening: session => void heard.push(`listening ${session.payload}`),
    closed: session => void heard.push(`closed ${session.payload}`),
    ...overrides,
  };
  const log = createLogger('silent');
  const endpoint = createMcpEndpoint(handler, stateless, { log, ...options });
  const sse = createSseEndpoint(handler, { log, ...options, messagesPath: 'messages' });
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    log,
    ...(times === undefined ? {} : { times }),
    onDrain: () => {
      endpoint.endStreams();
      sse.endStreams();
    },
    routes: new Map([
      [
        '/mcp',
        (req, res) => {
          answers.add(res);
          res.once('close', () => answers.delete(res));
          endpoint.handle(req, res);
        },
      ],
      ['/sse', sse.stream],
      ['/messages', sse.messages],
    ]),
  });
  onTestFinished(async () => {
    await listener.close(0);
    endpoint.close();
    sse.close();
  });
  return {
    url: `http://127.0.0.1:${listener.address.port}/mcp`,
    listener,
    endpoint,
    sse,
    heard,
    sessions,
    finishInitialize: () => slow.resolve(),
    openAnswers: () => answers.size,
    breakAnswers: () => {
      for (const res of answers) res.destroy();
    },
  };
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

type Headers = { readonly [name: string]: string | undefined };

/** Sends one HTTP request with exactly these headers and this body. */
export async function send(url: string, method: string, headers: Headers, body?: string | Uint8Array): Promise<Reply> {
  const res = await open(url, method, headers, body);
  let text = '';
  for await (const chunk of res.setEncoding('utf8')) text += chunk;
  return { status: res.statusCode ?? 0, headers: res.headers, text };
}

/** Like `send`, but the test reads the response's body. */
export function open(
  url: string,
  method: string,
  headers: Headers,
  body?: string | Uint8Array,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const present = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const req = request(url, { method, headers: Object.fromEntries(present), agent: false }, resolve);
    req.on('error', reject);
    req.end(body);
  });
}

const JSON_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** POSTs a message; Node sets the header `Content-Length`. */
export function post(url: string, body: string | Uint8Array, headers: Headers = {}): Promise<Reply> {
  return send(url, 'POST', { ...JSON_HEADERS, ...headers }, body);
}

/** POSTs a request of `method` in a session. */
export function call(url: string, session: string, method: string, id = '1', headers: Headers = {}): Promise<Reply> {
  const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
  return post(url, body, { 'Mcp-Session-Id': session, ...headers });
}

/** The text of an `initialize` request. */
export function initializeText(params: { readonly [name: string]: unknown } = {}): string {
  const clientInfo = { name: 'test', version: '1' };
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo, ...params },
  });
}

/** Opens a session; returns its id. */
export async function initialize(url: string, protocolVersion = '2025-11-25'): Promise<string> {
  const reply = await post(url, initializeText({ protocolVersion }));
  return reply.headers['mcp-session-id'] as string;
}

/** Reads a stream until it contains `needle`; returns the text so far. */
export async function readUntil(res: IncomingMessage, needle: string): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    res.setEncoding('utf8');
    res.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes(needle)) resolve(text);
    });
    res.on('close', () => reject(new Error(`the stream ended after: ${text}`)));
  });
}
