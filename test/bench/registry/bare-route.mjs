/** A minimal server of a page: it answers every request with the same bytes of a file, with plain `node:http`. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const bytes = readFileSync(process.argv[2]);
const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
const server = createServer((_, res) => res.writeHead(200, headers).end(bytes));
server.keepAliveTimeout = 300_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
