import { post, type Reply } from '../client-edge/fake-gateway.ts';

export const REVISION = '2026-07-28';

/** What every request of the stateless revision says in `_meta`. */
export const META: { readonly [name: string]: unknown } = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface StatelessRequest {
  readonly method: string;
  readonly params?: { readonly [name: string]: unknown };
  /** Replaces `_meta`; null leaves it out. */
  readonly meta?: unknown;
  readonly id?: unknown;
  /** More headers; one that is undefined is not sent. */
  readonly headers?: { readonly [name: string]: string | undefined };
}

/** The text of a request as the revision wants it. */
export function textOf({ method, params = {}, meta = META, id = 1 }: StatelessRequest): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method,
    params: { ...(meta === null ? {} : { _meta: meta }), ...params },
  });
}

/** The headers that belong to a request. */
export function findHeaders({ method, params = {}, headers = {} }: StatelessRequest): {
  readonly [name: string]: string | undefined;
} {
  const name = (method === 'resources/read' ? params.uri : params.name) as string | undefined;
  return { 'MCP-Protocol-Version': REVISION, 'Mcp-Method': method, 'Mcp-Name': name, ...headers };
}

export function ask(url: string, request: StatelessRequest): Promise<Reply> {
  return post(url, textOf(request), findHeaders(request));
}
