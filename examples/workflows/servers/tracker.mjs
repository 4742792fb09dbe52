/**
 * A small issue tracker as an MCP server. It uses version 2 of the official SDK.
 *
 *     node tracker.mjs [--port 4511]
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveOnLoopback } from '../../quickstart/servers/loopback.mjs';
import { onNodeHttp } from '../../quickstart/servers/web-handler.mjs';

const { values } = parseArgs({ options: { port: { type: 'string', default: '4511' } } });

/** @typedef {{ number: number, title: string, milestone: string, state: 'open' | 'closed', note: string }} Issue */
/** @type {Issue[]} */
const issues = JSON.parse(readFileSync(new URL('issues.json', import.meta.url), 'utf8'));

const annotations = { readOnlyHint: true, openWorldHint: false };
const text = { type: 'string', minLength: 1 };
const number = { type: 'integer', minimum: 1 };

const handler = createMcpHandler(createServer, { onerror: error => console.error(error.message) });
serveOnLoopback({ port: values.port, handle: onNodeHttp(handler.fetch) });

function createServer() {
  const server = new McpServer({ name: 'tracker', version: '1.0.0' });
  server.registerTool(
    'search_issues',
    {
      description: 'Find the issues of a milestone.',
      annotations: { title: 'Search issues', ...annotations },
      inputSchema: fromJsonSchema(object({ milestone: text, state: { enum: ['open', 'closed'] } })),
      outputSchema: fromJsonSchema(
        object({ issues: { type: 'array', maxItems: 100, items: object({ number, title: text }) } }),
      ),
    },
    ({ milestone, state }) =>
      structured({
        issues: issues
          .filter(issue => issue.milestone === milestone && issue.state === state)
          .map(({ number, title }) => ({ number, title })),
      }),
  );
  server.registerTool(
    'get_note',
    {
      description: 'Give the line about an issue for the notes of a release.',
      annotations: { title: 'Note of an issue', ...annotations },
      inputSchema: fromJsonSchema(object({ issue: number })),
      outputSchema: fromJsonSchema(object({ note: text })),
    },
    ({ issue }) => {
      const found = issues.find(one => one.number === issue);
      if (found === undefined) throw new Error(`there is no issue ${issue}`);
      return structured({ note: found.note });
    },
  );
  return server;
}

function object(properties) {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function structured(structuredContent) {
  return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
}
