/** A minimal Node process that answers with JSON over HTTP: the gateway's start and memory are compared with it. */
import { createServer } from 'node:http';

const server = createServer((_, res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
