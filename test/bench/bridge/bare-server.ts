/** `node bare-server.ts [URL]`: passes each POST on to the URL, or answers it with what it was sent. Nothing but `node:http`. */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const [, , next] = process.argv;
const agent = new Agent({ keepAlive: true });

async function read(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

function answer(res: ServerResponse, body: Buffer): void {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

const server = createServer(async (req, res) => {
  const body = await read(req);
  if (next === undefined) answer(res, Buffer.from(JSON.stringify(JSON.parse(body.toString()))));
  else {
    const headers = { 'content-length': body.length };
    request(next, { agent, method: 'POST', headers }, async from => answer(res, await read(from))).end(body);
  }
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${port}` })}\n`);
});
