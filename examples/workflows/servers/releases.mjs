/**
 * An MCP server for the releases of a project, which it keeps in memory. It uses version 2 of the official SDK.
 *
 *     node releases.mjs [--port 4512]
 */
import { parseArgs } from 'node:util';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveOnLoopback } from '../../quickstart/servers/loopback.mjs';
import { onNodeHttp } from '../../quickstart/servers/web-handler.mjs';

const { values } = parseArgs({ options: { port: { type: 'string', default: '4512' } } });

/** @type {Map<string, { title: string, notes: string[] }>} */
const releases = new Map();
const text = { type: 'string', minLength: 1 };

const handler = createMcpHandler(createServer, { onerror: error => console.error(error.message) });
serveOnLoopback({ port: values.port, handle: onNodeHttp(handler.fetch) });

function createServer() {
  const server = new McpServer({ name: 'releases', version: '1.0.0' });
  server.registerTool(
    'publish',
    {
      description: 'Publish a release with its notes. A version is published once.',
      annotations: {
        title: 'Publish a release',
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
      inputSchema: fromJsonSchema(object({ version: text, title: text, notes: { type: 'array', items: {} } })),
      outputSchema: fromJsonSchema(object({ url: text })),
    },
    ({ version, title, notes }) => {
      if (releases.has(version)) throw new Error(`${version} is published already`);
      releases.set(version, { title, notes });
      const structuredContent = { url: `https://releases.example/${version}` };
      return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
    },
  );
  return server;
}

function object(properties) {
  return { type: 'object', properties, required: Object.keys(properties) };
}
