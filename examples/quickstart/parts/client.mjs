/** Connects the official MCP client to the gateway. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** @typedef {import('@modelcontextprotocol/sdk/types.js').Tool} Tool */

/**
 * @param {string} url
 * @param {(tools: Tool[]) => void} onToolsChanged called with the new list when the gateway says that it changed
 */
export async function connect(url, onToolsChanged) {
  const client = new Client(
    { name: 'lintel-quickstart', version: '1.0.0' },
    { listChanged: { tools: { onChanged: (error, tools) => error === null && onToolsChanged(tools ?? []) } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}
