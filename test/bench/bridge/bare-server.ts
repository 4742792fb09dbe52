/**
 * `node bare-server.ts URL` forwards each POST to the URL. `node bare-server.ts COMMAND ARG…` writes each POST to the standard input of the
 * command, one line for each message, and answers with the next line that the command writes. It uses only `node:http`, checks nothing, has no
 * sessions, and handles one call at a time.
 * It implements as much of the stateful revisions of MCP as the SDK's client needs for a call.
 */
import { spawn } from 'node:child_process';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

type Forward = (body: Buffer, res: ServerResponse) => void;

const [, , next = '', ...args] = process.argv;

async function read(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

function answer(res: ServerResponse, body: Buffer): void {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

function toUrl(url: string): Forward {
  const agent = new Agent({ keepAlive: true });
  return (body, res) => {
    const headers = { 'content-length': body.length };
    request(url, { agent, method: 'POST', headers }, async from => {
      const answered = await read(from);
      if (from.statusCode === 200) answer(res, answered);
      else res.writeHead(from.statusCode ?? 502).end();
    }).end(body);
  };
}

function toCommand(command: string): Forward {
  const { stdin, stdout } = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: ServerResponse[] = [];
  createInterface({ input: stdout }).on('line', line => {
    const res = waiting.shift();
    if (res !== undefined) answer(res, Buffer.from(line));
  });
  process.once('exit', () => stdin.end());
  return (body, res) => {
    if ('id' in JSON.parse(body.toString())) waiting.push(res);
    else res.writeHead(202).end();
    stdin.write(body);
    stdin.write('\n');
  };
}

const forward = next.startsWith('http:') ? toUrl(next) : toCommand(next);
const server = createServer(async (req, res) => {
  if (req.method === 'POST') forward(await read(req), res);
  else res.writeHead(405).end();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${port}` })}\n`);
});
