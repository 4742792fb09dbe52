/**
 * The least a JSON-aware proxy in Node does, as the yardstick: it parses the body, routes by the tool's name, rewrites
 * that name, sends the call through one undici pool and relays the answer as it comes. No sessions, no limits, no errors.
 * It is written as such proxies are, with undici's `request()` and `pipe()`; with `--lean`, with the callbacks below both.
 *
 * With one more option it does one thing more for each call, as plainly as the usual library does it: `--record=FILE` writes a line with who
 * called what, in batches; `--redis=HOST:PORT` runs a script first; `--traces=URL` makes two spans, of which 5 % go to the collector;
 * `--bus=HOST:PORT` reads messages of other replicas meanwhile, and tests for each call that the last read is recent.
 */
import { createServer } from 'node:http';
import { Pool } from 'undici';
import { openExtra } from './bare-extra.mjs';

const target = new URL(process.argv[2]);
const isLean = process.argv.includes('--lean');
const before = await openExtra(process.argv);
const pool = new Pool(target.origin, { connections: 64, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
const routes = new Map([
  ['json_tool_0', { path: '/json/mcp', name: 'tool_0' }],
  ['sse_tool_0', { path: '/sse/mcp', name: 'tool_0' }],
  ['json_big', { path: '/json/mcp', name: 'big' }],
  ['sse_big', { path: '/sse/mcp', name: 'big' }],
]);
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function relayed(headers) {
  const relayed = { 'Content-Type': headers['content-type'] };
  if (headers['content-length'] !== undefined) relayed['Content-Length'] = headers['content-length'];
  return relayed;
}

async function relay(call, res) {
  const { statusCode, headers, body } = await pool.request(call);
  res.writeHead(statusCode, relayed(headers));
  body.pipe(res);
}

class LeanRelay {
  constructor(res) {
    this.res = res;
  }
  onRequestStart() {}
  onResponseStart(_controller, status, headers) {
    this.res.writeHead(status, relayed(headers));
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
  req.on('end', async () => {
    const message = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    const route = routes.get(message.params.name);
    message.params.name = route.name;
    const extra = before?.(req, res, message);
    const added = extra instanceof Promise ? await extra : extra;
    const sent = added === undefined ? headers : { ...headers, ...added };
    const call = { path: route.path, method: 'POST', headers: sent, body: JSON.stringify(message) };
    if (isLean) pool.dispatch(call, new LeanRelay(res));
    else relay(call, res);
  });
});
server.keepAliveTimeout = 300_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/mcp` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
