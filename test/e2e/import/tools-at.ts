/** What a client of the official SDK sees at a URL, or of a program that it starts. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface Tool {
  readonly name: string;
  readonly inputSchema: object;
}

export const byName = (a: Tool, b: Tool): number => (a.name < b.name ? -1 : 1);

/** As the gateway of an import names the tools of a server. */
export function withPrefix(server: string, tools: readonly Tool[]): readonly Tool[] {
  return tools.map(tool => ({ ...tool, name: `${server}_${tool.name}` }));
}

export async function toolsAt(url: string, transport: 'sse' | 'http', headers = {}): Promise<readonly Tool[]> {
  const options = {
    requestInit: { headers },
    eventSourceInit: {
      fetch: (at: string | URL, init?: RequestInit) =>
        fetch(at, { ...init, headers: { ...init?.headers, ...headers } }),
    },
  };
  const Transport = transport === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport;
  return await listTools(new Transport(new URL(url), options));
}

export async function toolsOf(command: string, args: readonly string[]): Promise<readonly Tool[]> {
  return await listTools(new StdioClientTransport({ command, args: [...args] }));
}

async function listTools(transport: object): Promise<readonly Tool[]> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport as never);
  try {
    const { tools } = await client.listTools();
    return tools.map(({ name, inputSchema }) => ({ name, inputSchema }));
  } finally {
    await client.close();
  }
}
