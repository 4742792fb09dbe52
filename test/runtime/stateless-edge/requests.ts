import { post, type Reply } from '../client-edge/fake-gateway.ts';

export const REVISION = '2026-07-28';

/** The `_meta` of every stateless request. */
export const META: { readonly [name: string]: unknown } = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface StatelessRequest {
  readonly method: string;
  readonly params?: { readonly [name: string]: unknown };
  /** A value that replaces the request's `_meta`; null removes it. */
  readonly meta?: unknown;
  readonly id?: unknown;
  /** Further headers; an undefined one is not sent. */
  readonly headers?: { readonly [name: string]: string | undefined };
}

/** The text of a request in the form that the revision requires. */
export function formatRequest({ method, params = {}, meta = META, id = 1 }: StatelessRequest): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method,
    params: { ...(meta === null ? {} : { _meta: meta }), ...params },
  });
}

/** The headers for a request. */
export function findHeaders({ method, params = {}, headers = {} }: StatelessRequest): {
  readonly [name: string]: string | undefined;
} {
  const name = (method === 'resources/read' ? params.uri : params.name) as string | undefined;
  return { 'MCP-Protocol-Version': REVISION, 'Mcp-Method': method, 'Mcp-Name': name, ...headers };
}

export function ask(url: string, request: StatelessRequest): Promise<Reply> {
  return post(url, formatRequest(request), findHeaders(request));
}
