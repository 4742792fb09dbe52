/**
 * An MCP server for notes: tools, resources, and a prompt with completion. It uses version 1 of the official SDK, and has a session for
 * each client.
 *
 *     node notes.mjs [--port 4501] [--folder data/notes]
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { serveOnLoopback } from './loopback.mjs';
import { NotesFolder } from './notes-folder.mjs';
import { Sessions } from './sessions.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4501' },
    folder: { type: 'string', default: path.join(import.meta.dirname, 'data', 'notes') },
  },
});
const notes = new NotesFolder(values.folder);
const sessions = new Sessions(createServer);

serveOnLoopback({ port: values.port, handle: (req, res) => sessions.handle(req, res) });

function createServer() {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  addTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

/** @param {McpServer} server */
function addTools(server) {
  server.registerTool(
    'search',
    {
      description: 'Find notes that contain every word of the query.',
      inputSchema: {
        query: z.string().min(1).max(200).describe('Words to look for; upper and lower case are the same'),
      },
      outputSchema: { matches: z.array(z.object({ name: z.string(), title: z.string(), snippet: z.string() })) },
      annotations: { title: 'Search notes', readOnlyHint: true, openWorldHint: false },
    },
    async ({ query }) => structured({ matches: await notes.search(query) }),
  );

  server.registerTool(
    'read',
    {
      description: 'Read one note by its name.',
      inputSchema: { name: z.string().max(200).describe('Name as given by search') },
      annotations: { title: 'Read a note', readOnlyHint: true, openWorldHint: false },
    },
    async ({ name }) => ({ content: [{ type: 'text', text: (await notes.read(name)).text }] }),
  );

  server.registerTool(
    'add',
    {
      description: 'Write a new note. Existing notes are never overwritten.',
      inputSchema: {
        title: z.string().max(80).describe('Becomes the heading and the file name'),
        text: z.string().min(1).max(65_536).describe('Markdown'),
      },
      outputSchema: { name: z.string(), uri: z.string() },
      annotations: { title: 'Add a note', readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async ({ title, text }) => {
      const name = await notes.add(title, text);
      for (const listener of sessions.servers) listener.sendResourceListChanged();
      return structured({ name, uri: uriOf(name) });
    },
  );
}

/** @param {McpServer} server */
function addResources(server) {
  const template = new ResourceTemplate('note:///{name}', {
    list: async () => ({
      resources: (await notes.all()).map(({ name, title }) => ({
        uri: uriOf(name),
        name,
        title,
        mimeType: 'text/markdown',
      })),
    }),
    complete: { name: namesStartingWith },
  });
  server.registerResource(
    'note',
    template,
    { description: 'One note, as Markdown', mimeType: 'text/markdown' },
    async (uri, { name }) => {
      const { text } = await notes.read(decodeURIComponent(String(name)));
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] };
    },
  );
}

/** @param {McpServer} server */
function addPrompts(server) {
  server.registerPrompt(
    'summarize_note',
    {
      title: 'Summarize a note',
      description: 'Ask for the gist of one note and for what is still open in it.',
      argsSchema: { name: completable(z.string().describe('Name of the note'), namesStartingWith) },
    },
    async ({ name }) => {
      const { text } = await notes.read(name);
      const resource = { uri: uriOf(name), mimeType: 'text/markdown', text };
      const request = 'Summarize this note in three sentences, then list what is still open and who owns it.';
      return {
        messages: [
          { role: 'user', content: { type: 'text', text: request } },
          { role: 'user', content: { type: 'resource', resource } },
        ],
      };
    },
  );
}

async function namesStartingWith(typed) {
  const names = await notes.names();
  return names.filter(name => name.startsWith(String(typed).toLowerCase()));
}

function uriOf(name) {
  return `note:///${encodeURIComponent(name)}`;
}

/** A tool result with structured content, and the same content as text for clients that do not know structured content. */
function structured(structuredContent) {
  return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
}
