/** How to connect MCP clients that people have to a gateway. `url` is that of its MCP endpoint. */
export function clientSnippet(url: string): string {
  const vscode = JSON.stringify({ servers: { lintel: { type: 'http', url } } });
  return `Connect a client
  Claude Code    claude mcp add --transport http lintel ${url}
  VS Code        .vscode/mcp.json: ${vscode}
  MCP Inspector  npx @modelcontextprotocol/inspector, then Transport: Streamable HTTP, URL: ${url}`;
}

interface Listening {
  readonly url: string;
  readonly internal: string;
  readonly gateway?: string;
  readonly registry?: string;
}

/** What a person sees in place of the line of JSON by which the runtime announces where it listens. */
export function listeningText({ url, internal, gateway, registry }: Listening): string {
  const lines = [
    gateway === undefined ? `Registry server ${registry} serves at ${url}` : `Gateway ${gateway} serves at ${url}`,
    `Status and metrics: ${internal}/status, ${internal}/metrics`,
    ...(gateway === undefined ? [] : ['', clientSnippet(url)]),
    '',
    'Ctrl-C ends it once running calls have ended; a second Ctrl-C ends it at once.',
  ];
  return `${lines.join('\n')}\n`;
}
