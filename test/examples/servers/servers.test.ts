/** The servers example: its tool lock matches servers with these tools, and its commands work as the README shows. */
import { cp, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const READ = { readOnlyHint: true, openWorldHint: false };
const CHANGE = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };

type Tools = { readonly [name: string]: { readonly description: string; readonly annotations: object } };

const TOOLS: { readonly [server: string]: Tools } = {
  tickets: {
    search_tickets: { description: 'Find tickets by their words.', annotations: READ },
    close_ticket: { description: 'Close a ticket. It cannot be opened again.', annotations: CHANGE },
  },
  notes: {
    list_notes: { description: 'List the titles of all notes.', annotations: READ },
    read_note: { description: 'Read a note.', annotations: READ },
    remove_note: { description: 'Remove a note.', annotations: CHANGE },
  },
  docs: { search_docs: { description: 'Find pages of the documentation.', annotations: READ } },
};

/** A stateless SDK server with exactly these tools. */
async function serve(name: string, tools: Tools) {
  const http = createServer((req, res) => {
    const server = new McpServer({ name, version: '1.0.0' });
    for (const [tool, about] of Object.entries(tools)) server.registerTool(tool, about, () => ({ content: [] }));
    const transport = new StreamableHTTPServerTransport({});
    res.once('close', () => void server.close());
    server.connect(transport as never).then(() => transport.handleRequest(req, res));
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  return { http, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` };
}

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await cp(join(ROOT, 'examples/servers'), folder.file('examples/servers'), { recursive: true });
});
afterAll(() => folder[Symbol.asyncDispose]());

const run = (command: string) => runLintel(command.split(/\s+/).slice(2), { cwd: folder.path });

test('the tool lock of the servers example is up to date', async () => {
  const servers = await Promise.all(Object.entries(TOOLS).map(([name, tools]) => serve(name, tools)));
  try {
    const urls = Object.keys(TOOLS).flatMap((name, at) => ['--url', `${name}=${servers[at]?.url}`]);
    const token = ['--token', 'docs=env:DOCS_TOKEN'];
    const { code, stderr } = await runLintel(['lock', 'examples/servers/specs', '--check', ...urls, ...token], {
      cwd: folder.path,
      env: { DOCS_TOKEN: 'token-of-docs' },
    });
    expect(stderr).toContain('is up to date');
    expect(code).toBe(0);
  } finally {
    for (const { http } of servers) http.close().closeAllConnections();
  }
});

test('the commands in the README of the servers example exit with the codes that the README gives', async () => {
  const readme = await readFile(folder.file('examples/servers/README.md'), 'utf8');
  const commands = [...readme.matchAll(/^npx lintel .*[^\\]$/gm)].map(([command]) => command);
  const codes: [string | undefined, number | null][] = [];
  for (const command of commands) codes.push([command.split(' ')[2], (await run(command)).code]);
  expect(codes).toEqual([
    ['build', 0],
    ['exposure', 0],
    ['can', 1],
    ['matrix', 0],
    ['matrix', 0],
  ]);
});

test('`lintel matrix` and `lintel diff` report that a policy was removed from the servers example', async () => {
  await cp(folder.file('examples/servers'), folder.file('examples/changed'), { recursive: true });
  const specs = await readFile(folder.file('examples/changed/specs/servers.yaml'), 'utf8');
  await folder.write({ 'examples/changed/specs/servers.yaml': specs.replace(/^ +- forbid.*\n/m, '') });
  const matrix = await run(
    'npx lintel matrix --as examples/servers/callers --expect examples/servers/matrix.json examples/changed/specs',
  );
  expect([matrix.code, matrix.stdout]).toEqual([1, expect.stringMatching(/close_ticket.*sam|sam.*close_ticket/s)]);
  for (const name of ['servers', 'changed'])
    expect((await run(`npx lintel build examples/${name}/specs --out ${name}`)).code).toBe(0);
  const { code, stdout } = await run('npx lintel diff servers changed');
  expect([code, stdout]).toEqual([1, expect.stringContaining('mcp/MCPServer/tickets: wider')]);
});
