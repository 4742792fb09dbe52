/**
 * Makes stdio servers available at one HTTP address: `POST /NAME/mcp`. For tests only: each session is a process, and requests of a server to
 * its client are answered as by a client without capabilities.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
}

export class StdioAdapter implements AsyncDisposable {
  readonly #servers: ReadonlyMap<string, StdioServer>;
  readonly #sessions = new Map<string, Session>();
  readonly #http: Server;

  private constructor(servers: ReadonlyMap<string, StdioServer>) {
    this.#servers = servers;
    this.#http = createServer((request, response) => {
      this.#answer(request, response).catch(error => {
        response.writeHead(500).end(String(error));
      });
    });
  }

  static async start(servers: ReadonlyMap<string, StdioServer>, port = 0): Promise<StdioAdapter> {
    const adapter = new StdioAdapter(servers);
    await new Promise<void>(resolve => adapter.#http.listen(port, '127.0.0.1', resolve));
    return adapter;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions.values()) session.end();
    this.#http.closeAllConnections();
    await new Promise(resolve => this.#http.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name = ''] = (request.url ?? '').split('/');
    const id = String(request.headers['mcp-session-id'] ?? '');
    const known = this.#sessions.get(id);
    if (request.method === 'DELETE') {
      known?.end();
      this.#sessions.delete(id);
      response.writeHead(204).end();
      return;
    }
    const server = this.#servers.get(name);
    if (request.method !== 'POST' || server === undefined) {
      response.writeHead(server === undefined ? 404 : 405).end();
      return;
    }
    const message = JSON.parse(await text(request)) as Message;
    if (known === undefined && message.method !== 'initialize') {
      const error = { code: -32600, message: 'no session: begin with initialize' };
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id ?? null, error }));
      return;
    }
    const session = known ?? new Session(server);
    const sessionId = known === undefined ? randomUUID() : id;
    this.#sessions.set(sessionId, session);
    if (message.id === undefined || message.method === undefined) {
      session.send(message);
      response.writeHead(202).end();
      return;
    }
    const answer = await session.ask(message, message.id);
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': sessionId });
    response.end(JSON.stringify(answer));
  }
}

/** A process, with its pending requests. */
class Session {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<string | number, (answer: unknown) => void>();
  #rest = '';

  constructor({ command, args, env }: StdioServer) {
    this.#child = spawn(command, args, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child.stdin?.on('error', () => {});
    this.#child.on('error', () => this.#ended());
    this.#child.on('exit', () => this.#ended());
    this.#child.stdout?.setEncoding('utf8').on('data', (part: string) => this.#read(part));
  }

  send(message: unknown): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  ask(message: unknown, id: string | number): Promise<unknown> {
    return new Promise(resolve => {
      this.#waiting.set(id, resolve);
      this.send(message);
    });
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }

  #read(part: string): void {
    const lines = (this.#rest + part).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = parsed(line);
      if (message?.id === undefined) continue;
      if (message.method === undefined) {
        this.#waiting.get(message.id)?.(message);
        this.#waiting.delete(message.id);
      } else {
        this.send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'this client can nothing' } });
      }
    }
  }

  #ended(): void {
    for (const [id, resolve] of this.#waiting) {
      resolve({ jsonrpc: '2.0', id, error: { code: -32603, message: 'the server ended' } });
    }
    this.#waiting.clear();
  }
}

/** Some servers print text that is not a message. */
function parsed(line: string): Message | undefined {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return undefined;
  }
}
