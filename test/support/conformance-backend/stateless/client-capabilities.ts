import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** What the client of this request says it is able to do. */
export function clientCapabilities({ envelope }: ServerContext['mcpReq']): ClientCapabilities {
  // The SDK's type of the envelope has lost the names of its keys.
  const keys = envelope as { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  return keys?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
}
