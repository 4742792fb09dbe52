/** An MCP server with one tool, `wait`, which answers calls when the test decides. */
import { type RawServer, startRawServer } from '../support/raw-server.ts';

export class HeldBackend implements AsyncDisposable {
  readonly url: string;
  readonly #server: RawServer;
  readonly #answer: () => void;

  constructor(server: RawServer, answer: () => void) {
    this.#server = server;
    this.#answer = answer;
    this.url = `${server.origin}/mcp`;
  }

  /** Resolves when a call has arrived. */
  async called(): Promise<void> {
    await this.#server.waitFor(({ message }) => message?.method === 'tools/call');
  }

  /** Answers all calls, past and future. */
  answer(): void {
    this.#answer();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.close();
  }
}

export async function startHeldBackend(): Promise<HeldBackend> {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const server = await startRawServer(async ({ method, message }, response) => {
    if (method !== 'POST') return void response.writeHead(405).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === 'tools/call') await answered;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) }));
  });
  return new HeldBackend(server, answer);
}

function resultOf({ method, params }: { method: string; params?: { protocolVersion?: string } }): object {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'held', version: '1' },
      };
    case 'tools/list':
      return { tools: [{ name: 'wait', inputSchema: { type: 'object' } }] };
    default:
      return { content: [{ type: 'text', text: 'at last' }] };
  }
}
