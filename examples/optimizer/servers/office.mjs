/**
 * One of the five MCP servers of the example's office, with version 2 of the official SDK. Its tools are listed in `office.json`; each tool
 * only returns its name and its arguments.
 *
 *     node office.mjs calendar|mail|billing|projects|people --port 4531
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveOnLoopback } from '../../quickstart/servers/loopback.mjs';
import { onNodeHttp } from '../../quickstart/servers/web-handler.mjs';

const { values, positionals } = parseArgs({ options: { port: { type: 'string' } }, allowPositionals: true });
const [name = ''] = positionals;

/** A tool: name, description, parameters such as `title` or `minutes:integer`, and its effect on data. */
/** @typedef {[name: string, description: string, parameters: string[], effect: 'reads' | 'adds' | 'writes' | 'destroys']} Tool */
/** @type {Record<string, Tool[]>} */
const office = JSON.parse(readFileSync(new URL('office.json', import.meta.url), 'utf8'));
const tools = office[name];
if (tools === undefined) {
  console.error(`expected one of: ${Object.keys(office).join(', ')}`);
  process.exit(2);
}

const handler = createMcpHandler(createServer, { onerror: error => console.error(error.message) });
serveOnLoopback({ port: values.port ?? '0', handle: onNodeHttp(handler.fetch) });

function createServer() {
  const server = new McpServer({ name, version: '1.0.0' });
  for (const [tool, description, parameters, effect] of tools) {
    server.registerTool(
      tool,
      { description, annotations: annotationsOf(effect), inputSchema: fromJsonSchema(schemaOf(parameters)) },
      args => ({ content: [{ type: 'text', text: JSON.stringify({ tool, ...args }) }] }),
    );
  }
  return server;
}

/** @param {Tool[3]} effect */
function annotationsOf(effect) {
  return { readOnlyHint: effect === 'reads', destructiveHint: effect === 'destroys', openWorldHint: false };
}

/** @param {string[]} parameters */
function schemaOf(parameters) {
  const pairs = parameters.map(parameter => parameter.split(':'));
  const properties = Object.fromEntries(pairs.map(([key, type = 'string']) => [key, { type }]));
  return { type: 'object', properties, required: Object.keys(properties) };
}
