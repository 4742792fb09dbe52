/**
 * The least that a gateway does for its first list, as the yardstick: `node bare-list.mjs URL COUNT` opens a session at each of so many
 * backends through one undici pool, gets its tools, puts prefixes on their names, and answers every request with all of them. Of a backend
 * it reads one page in JSON, and it checks nothing.
 */
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [, , target, count] = process.argv;
const pool = new Pool(new URL(target).origin, { connections: 64, pipelining: 1 });

async function post(path, session, message) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const answer = await pool.request({ method: 'POST', path, headers, body });
  return { headers: answer.headers, text: await answer.body.text() };
}

async function toolsOf(name) {
  const path = `/${name}/mcp`;
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bare', version: '1' } };
  const { headers } = await post(path, undefined, { id: 1, method: 'initialize', params });
  const session = headers['mcp-session-id'];
  await post(path, session, { method: 'notifications/initialized' });
  const { text } = await post(path, session, { id: 2, method: 'tools/list' });
  return JSON.parse(text).result.tools.map(tool => ({ ...tool, name: `${name}_${tool.name}` }));
}

const names = Array.from({ length: Number(count) }, (_, index) => `b${index}`);
const tools = Promise.all(names.map(toolsOf)).then(lists => JSON.stringify({ tools: lists.flat() }));

const server = createServer(async (_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json' }).end(await tools);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${server.address().port}/` })}\n`,
  );
});
