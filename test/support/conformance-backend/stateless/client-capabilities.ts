import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** The capabilities of the client in this request. */
export function clientCapabilities({ envelope }: ServerContext['mcpReq']): ClientCapabilities {
  // The SDK's type of the envelope does not have the names of its keys.
  const keys = envelope as { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  return keys?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
}
