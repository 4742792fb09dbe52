/**
 * The least a JSON-aware proxy in Node can be, as the yardstick: it parses the body, routes by the tool's name, rewrites
 * that name, sends the call through one undici pool and relays the answer as it comes. No sessions, no limits, no errors.
 */
import { createServer } from 'node:http';
import { Pool } from 'undici';

const target = new URL(process.argv[2]);
const pool = new Pool(target.origin, { connections: 64, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
const routes = new Map([
  ['json_tool_0', { path: '/json/mcp', name: 'tool_0' }],
  ['sse_tool_0', { path: '/sse/mcp', name: 'tool_0' }],
  ['json_big', { path: '/json/mcp', name: 'big' }],
  ['sse_big', { path: '/sse/mcp', name: 'big' }],
]);
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

class Relay {
  constructor(res) {
    this.res = res;
  }
  onRequestStart() {}
  onResponseStart(_controller, status, headers) {
    const relayed = { 'Content-Type': headers['content-type'] };
    if (headers['content-length'] !== undefined) relayed['Content-Length'] = headers['content-length'];
    this.res.writeHead(status, relayed);
  }
  onResponseData(controller, chunk) {
    if (this.res.write(chunk)) return;
    controller.pause();
    this.res.once('drain', () => controller.resume());
  }
  onResponseEnd() {
    this.res.end();
  }
  onResponseError() {
    this.res.destroy();
  }
}

const server = createServer((req, res) => {
  const chunks = [];
  req.on('data', chunk => chunks.push(chunk));
  req.on('end', () => {
    const message = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    const route = routes.get(message.params.name);
    message.params.name = route.name;
    pool.dispatch({ path: route.path, method: 'POST', headers, body: JSON.stringify(message) }, new Relay(res));
  });
});
server.keepAliveTimeout = 300_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/mcp` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
