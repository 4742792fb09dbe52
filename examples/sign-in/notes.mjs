/** An MCP server that accepts access tokens of the company's identity provider, and asks the provider for the person behind each token. */
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/**
 * @param {{ port: number, company: string }} options
 * @returns the origin of the MCP server
 */
export async function startNotes({ port, company }) {
  const server = createServer((req, res) => {
    serve(company, req, res).catch(error => res.headersSent || res.writeHead(500).end(error.message));
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

async function serve(company, req, res) {
  const { authorization = '' } = req.headers;
  const answer = authorization === '' ? undefined : await fetch(`${company}/me`, { headers: { authorization } });
  // The server lists its tools without a token as well, so that a gateway can ask for them before a user has signed in.
  const person = answer?.ok ? await answer.json() : undefined;
  if (req.method !== 'POST') {
    res.writeHead(405).end();
    return;
  }
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const text = words => ({ content: [{ type: 'text', text: words }], ...(person === undefined && { isError: true }) });
  server.registerTool('whoami', { description: 'Say whose notes these are.' }, () =>
    text(person === undefined ? 'nobody has signed in' : `these are the notes of ${person.name}`),
  );
  server.registerTool('read', { description: 'Read your notes.' }, () =>
    text(person === undefined ? 'nobody has signed in' : `${person.name}: buy bread`),
  );
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  res.on('close', () => server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res);
}
