/** A stateless server whose tool declares arguments as headers (`x-mcp-header`), and other ones when the test sets them. */
import type { IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import { encodeHeaderValue } from '../../../runtime/mcp/header-value.ts';
import { IDENTITY, type RawRequest, sendJson, startRawServer } from '../../support/raw-server.ts';
import { REVISION } from '../stateless-edge/requests.ts';

export type Schema = { readonly [property: string]: object };

export interface HeaderBackend {
  readonly url: string;
  /** The declared properties from now on. */
  properties: Schema;
  /** Returns the reason to refuse a call (-32020), if any. By default that is a missing or different header. */
  refusal: (headers: IncomingHttpHeaders, args: Record<string, unknown>) => string | undefined;
  /** Runs for each call before the server checks it. */
  onCall: (request: RawRequest) => void | Promise<void>;
  /** Decides which callers the server accepts. By default all. */
  letsIn: (headers: IncomingHttpHeaders) => boolean;
  /** Runs for each request for the list, before the response; if it returns true, the response is HTTP 500. */
  onList: () => undefined | boolean | Promise<undefined | boolean>;
  /** The result of an accepted call. */
  result: (request: RawRequest) => object;
  /** The `Mcp-Param-…` headers of each call. */
  readonly calls: Record<string, unknown>[];
  readonly lists: number;
  readonly requests: readonly RawRequest[];
}

export const PLAIN: Schema = {
  region: { type: 'string' },
  place: { type: 'object', properties: { zone: { type: 'string' } } },
};
export const WITH_REGION: Schema = { ...PLAIN, region: { type: 'string', 'x-mcp-header': 'Region' } };
const CALLS = new Set(['tools/call', 'prompts/get', 'resources/read', 'completion/complete']);

/** The `Mcp-Param-…` headers among others. */
export const pickParamHeaders = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('mcp-param-')));

/** Starts a stateless server with a tool, a prompt and a resource. It stops with the test. */
export async function startHeaderBackend(): Promise<HeaderBackend> {
  let lists = 0;
  const server = await startRawServer(async (request, response) => {
    const { id, method, params } = request.message ?? {};
    if (!backend.letsIn(request.headers)) return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    const reply = (body: object, status = 200) =>
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, ...body }), {}, status);
    const complete = (result: object) => reply({ result: { resultType: 'complete', ...result } });
    const cache = { ttlMs: 0, cacheScope: 'private' };
    if (method === 'server/discover') {
      const { serverInfo } = IDENTITY as { serverInfo: object };
      return complete({
        ...cache,
        supportedVersions: [REVISION],
        capabilities: { tools: {}, prompts: {}, resources: {} },
        serverInfo,
      });
    }
    if (method === 'tools/list') {
      lists++;
      if ((await backend.onList()) === true) return void response.writeHead(500).end();
      return complete({
        ...cache,
        tools: [{ name: 'tool', inputSchema: { type: 'object', properties: backend.properties } }],
      });
    }
    if (method === 'prompts/list') return complete({ ...cache, prompts: [{ name: 'prompt' }] });
    if (method === 'resources/list') return complete({ ...cache, resources: [{ uri: 'x://a', name: 'a' }] });
    if (method === 'resources/templates/list') return complete({ ...cache, resourceTemplates: [] });
    if (!CALLS.has(method)) return reply({ error: { code: -32601, message: 'no such method' } }, 404);
    backend.calls.push(pickParamHeaders(request.headers));
    await backend.onCall(request);
    const why = method === 'tools/call' ? backend.refusal(request.headers, params.arguments ?? {}) : undefined;
    if (why !== undefined) return reply({ error: { code: -32020, message: why } }, 400);
    return complete(backend.result(request));
  });
  onTestFinished(() => server.close());
  const backend: HeaderBackend = {
    url: `${server.origin}/mcp`,
    properties: PLAIN,
    refusal: (headers, args) => {
      const wanted = wantedOf(backend.properties, args);
      const differing = [...wanted].find(([header, value]) => headers[header] !== value);
      return differing && `the header ${differing[0]} is required`;
    },
    onCall() {},
    onList: () => undefined,
    letsIn: () => true,
    result: () => ({ content: [{ type: 'text', text: 'ran' }] }),
    calls: [],
    get lists() {
      return lists;
    },
    requests: server.requests,
  };
  return backend;
}

/** The headers that a server expects for the annotated properties. */
function wantedOf(properties: Schema, args: Record<string, unknown>): Map<string, string> {
  const wanted = new Map<string, string>();
  for (const [name, schema] of Object.entries(properties)) {
    const { 'x-mcp-header': header, properties: inner } = schema as { 'x-mcp-header'?: string; properties?: Schema };
    const value = args[name];
    if (inner !== undefined) for (const entry of wantedOf(inner, (value ?? {}) as typeof args)) wanted.set(...entry);
    else if (header !== undefined && value != null) {
      wanted.set(`mcp-param-${header.toLowerCase()}`, encodeHeaderValue(String(value)));
    }
  }
  return wanted;
}
