/**
 * MCP backends in plain node:http, as fast as that is: `/<name>/mcp` answers with JSON, `/<name>/sse/mcp` with an event
 * stream, and `/<name>/sse` is an HTTP+SSE server. `/standing/mcp` has a standing stream, on which nothing is sent. Each name is a backend of its own with `--tools N` tools; `--delay MS` slows every answer down.
 */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { tools: { type: 'string', default: '20' }, delay: { type: 'string', default: '0' } },
});
const delayMs = Number(values.delay);

const BIG_BYTES = 50 * 1024 * 1024;
const BIG_CHUNK = Buffer.alloc(64 * 1024, 'lorem ipsum ');

/** The last one has the large answer. */
const tools = Array.from({ length: Number(values.tools) }, (_, index) => ({
  name: index === Number(values.tools) - 1 ? 'big' : `tool_${index}`,
  title: `Tool number ${index}`,
  description: `Looks up records of kind ${index} by text and filters; answers with at most "limit" of them, best first.`,
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to look for.' },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      filters: { type: 'array', items: { type: 'string' }, description: 'Labels that a record must have.' },
    },
    required: ['query'],
  },
  annotations: { readOnlyHint: true },
}));
const TOOLS = JSON.stringify({ tools });

/** About 1 KB with the envelope around it, with the escapes and the nesting that answers have. */
const CALL_RESULT = JSON.stringify({
  content: [
    {
      type: 'text',
      text: JSON.stringify({
        records: Array.from({ length: 9 }, (_, index) => ({
          id: `rec-${index}`,
          title: 'A “record” with a title',
          score: 0.5,
        })),
        note: 'x'.repeat(120),
      }),
    },
  ],
  isError: false,
});

const IDENTITY = JSON.stringify({
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'bench-backend', version: '1' },
});

function resultOf({ method }) {
  if (method === 'tools/call') return CALL_RESULT;
  if (method === 'tools/list') return TOOLS;
  return method === 'initialize' ? IDENTITY : '{}';
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };
const SSE_HEADERS = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' };
let sessions = 0;

function answer(res, isStream, message) {
  if (message.id === undefined) {
    res.writeHead(202).end();
    return;
  }
  if (message.params?.name === 'big') {
    answerBig(res, isStream, message.id);
    return;
  }
  const session = message.method === 'initialize' ? { 'Mcp-Session-Id': `bench-${++sessions}` } : undefined;
  const json = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${resultOf(message)}}`;
  if (isStream) {
    res.writeHead(200, { ...SSE_HEADERS, ...session });
    res.end(`event: message\ndata: ${json}\n\n`);
  } else {
    res.writeHead(200, { ...JSON_HEADERS, 'Content-Length': Buffer.byteLength(json), ...session });
    res.end(json);
  }
}

/** 50 MB of text, written as the connection takes it. */
function answerBig(res, isStream, id) {
  res.writeHead(200, isStream ? SSE_HEADERS : JSON_HEADERS);
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`;
  res.write((isStream ? 'event: message\ndata: ' : '') + start);
  let left = BIG_BYTES;
  const write = () => {
    while (left > 0) {
      left -= BIG_CHUNK.length;
      if (!res.write(BIG_CHUNK)) {
        res.once('drain', write);
        return;
      }
    }
    res.end(`"}]}}${isStream ? '\n\n' : ''}`);
  };
  write();
}

/** The open streams of HTTP+SSE, by the number in the URL that messages of the session are posted to. */
const pairs = new Map();

function openPair(req, res) {
  const number = String(++sessions);
  res.writeHead(200, SSE_HEADERS);
  res.write(`event: endpoint\ndata: ${req.url}?session=${number}\n\n`);
  pairs.set(number, res);
  res.on('close', () => pairs.delete(number));
}

function answerOnPair(req, message) {
  if (message.id === undefined) return;
  const json = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${resultOf(message)}}`;
  pairs.get(req.url.split('session=')[1])?.write(`event: message\ndata: ${json}\n\n`);
}

const server = createServer((req, res) => {
  if (req.method === 'GET' && req.url.endsWith('/sse')) {
    openPair(req, res);
    return;
  }
  if (req.method === 'GET' && req.url.includes('standing/')) {
    res.writeHead(200, SSE_HEADERS).flushHeaders();
    return;
  }
  if (req.method !== 'POST') {
    req.resume();
    res.writeHead(req.method === 'DELETE' ? 200 : 405).end();
    return;
  }
  const chunks = [];
  req.on('data', chunk => chunks.push(chunk));
  req.on('end', () => {
    const message = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    if (req.url.includes('/sse?session=')) {
      res.writeHead(202).end();
      answerOnPair(req, message);
      return;
    }
    const isStream = req.url.includes('/sse/');
    if (delayMs > 0) setTimeout(answer, delayMs, res, isStream, message);
    else answer(res, isStream, message);
  });
});
// The pools of this benchmark keep their connections between slices.
server.keepAliveTimeout = 300_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
