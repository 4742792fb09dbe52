/** A whole runtime between SDK clients with tokens of a real identity provider, and MCP backends that authenticate callers. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished } from 'vitest';
import type { OutgoingAuthPlan } from '#schemas';
import { type BundleOptions, startGateway, type TestGateway } from '../../support/gateway.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';

export interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The JSON-RPC method; empty for none. */
  readonly rpc: string;
}

/** The HTTP status with which the proxy in front of a backend refuses a request. */
export type Refusal = number | undefined;

export interface GuardedBackend {
  readonly url: string;
  readonly server: SdkServer;
  /** All received requests, accepted or not. */
  readonly received: Received[];
  /** Decides about each request; tests may replace it. */
  check: (request: Received) => Refusal | Promise<Refusal>;
  calls(): readonly Received[];
}

export type BackendKind = 'sessions' | 'stateless';

export const BACKEND_KINDS: readonly BackendKind[] = ['sessions', 'stateless'];

/** A real MCP server behind a proxy that checks credentials. */
export async function startBackend(kind: BackendKind, check: GuardedBackend['check']): Promise<GuardedBackend> {
  const server =
    kind === 'sessions' ? await startSdkServer({ transport: 'streamable-http' }) : await startStatelessServer();
  const received: Received[] = [];
  const door = createServer((req, res) => void pass(req, res));
  const backend = {
    server,
    received,
    check,
    url: '',
    calls: () => received.filter(({ rpc }) => rpc === 'tools/call'),
  };
  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const seen = { method: req.method ?? '', headers: req.headers, body, rpc: rpcMethodOf(body) };
    received.push(seen);
    const refusal = await backend.check(seen);
    if (refusal !== undefined) {
      res.writeHead(refusal, {
        'content-type': 'application/json',
        'www-authenticate': 'Bearer error="invalid_token"',
      });
      res.end('{"error":"invalid_token"}');
      return;
    }
    const { host: _host, ...headers } = req.headers;
    const onward = request(server.url, { method: req.method, headers, agent: false }, answer => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
      answer.on('error', () => res.destroy());
    });
    onward.on('error', () => res.destroy());
    res.on('close', () => onward.destroy());
    onward.end(body);
  }
  await new Promise<void>(resolve => door.listen(0, '127.0.0.1', resolve));
  backend.url = `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`;
  onTestFinished(async () => {
    door.closeAllConnections();
    await Promise.all([new Promise(resolve => door.close(resolve)), server.close()]);
  });
  return backend;
}

function rpcMethodOf(body: string): string {
  try {
    return (JSON.parse(body) as { method?: string }).method ?? '';
  } catch {
    return '';
  }
}

export async function startServed(options: BundleOptions): Promise<TestGateway> {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return gateway;
}

/** The functions of both SDKs' clients that tests use. */
export interface TestClient {
  tools(): Promise<readonly string[]>;
  resources(): Promise<readonly string[]>;
  /** Methods of received notifications. */
  readonly notified: readonly string[];
  /** The text of the result. */
  call(name: string, args?: Record<string, unknown>): Promise<string>;
}

export type ClientKind = 'session' | 'stateless';

export const CLIENT_KINDS: readonly ClientKind[] = ['session', 'stateless'];

/** An HTTP response that a client received. */
export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * @param headers of each request, evaluated when it is sent
 * @param heard receives the unsuccessful responses to POSTs
 */
export async function connect(
  kind: ClientKind,
  url: string,
  headers: () => Record<string, string>,
  heard: Heard[] = [],
): Promise<TestClient> {
  const withHeaders: typeof fetch = async (input, init) => {
    const merged = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers())) merged.set(name, value);
    const answer = await fetch(input, { ...init, headers: merged });
    if (init?.method === 'POST' && !answer.ok) {
      heard.push({ status: answer.status, headers: answer.headers, text: await answer.clone().text() });
    }
    return answer;
  };
  if (kind === 'session') {
    const client = new ClientV1({ name: 'test', version: '1' });
    const transport = new TransportV1(new URL(url), { fetch: withHeaders });
    await client.connect(transport as Parameters<ClientV1['connect']>[0]);
    return faceOf(client as unknown as AnyClient);
  }
  const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new TransportV2(new URL(url), { fetch: withHeaders }));
  return faceOf(client as unknown as AnyClient);
}

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  fallbackNotificationHandler?: (notification: { method: string }) => Promise<void>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

function faceOf(client: AnyClient): TestClient {
  onTestFinished(() => client.close());
  const notified: string[] = [];
  client.fallbackNotificationHandler = async ({ method }) => {
    notified.push(method);
  };
  return {
    notified,
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => {
      const { content } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] };
      return content[0]?.text ?? '';
    },
  };
}

/** A credential that only callers have, from an endpoint that issues each caller the token that the test sets. */
export interface TokenEndpoint {
  readonly plan: OutgoingAuthPlan;
  /** Subject tokens that it received. */
  readonly subjects: string[];
  /** The token to issue for a subject's; undefined: it is refused. */
  give: (subject: string) => string | undefined;
}

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const subjects: string[] = [];
  const server = await startRawServer(({ body }, response) => {
    const subject = new URLSearchParams(body).get('subject_token') ?? '';
    subjects.push(subject);
    const token = endpoint.give(subject);
    response.writeHead(token === undefined ? 400 : 200, { 'content-type': 'application/json' });
    const issued_token_type = 'urn:ietf:params:oauth:token-type:access_token';
    const answer = { access_token: token, issued_token_type, token_type: 'Bearer', expires_in: 3600 };
    response.end(JSON.stringify(token === undefined ? { error: 'invalid_grant' } : answer));
  });
  onTestFinished(() => server.close());
  const endpoint: TokenEndpoint = {
    subjects,
    give: subject => `for ${String(decodeClaims(subject).sub)}`.replaceAll(' ', '-'),
    plan: {
      type: 'token_exchange',
      tokenUrl: `${server.origin}/token`,
      client: null,
      audience: 'urn:backend',
      resource: null,
      scopes: [],
      subjectTokenType: 'urn:ietf:params:oauth:token-type:access_token',
      subject: { type: 'caller' },
    },
  };
  return endpoint;
}

/** The claims of a JWT, unverified, because the gateway has verified it before. */
export function decodeClaims(authorization: string | undefined): Record<string, unknown> {
  const [, payload = ''] = (authorization ?? '').replace(/^Bearer /, '').split('.');
  return payload === '' ? {} : JSON.parse(Buffer.from(payload, 'base64url').toString());
}
