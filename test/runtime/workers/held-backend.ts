/** A backend whose calls run until the test ends them. */
import { type RawServer, startRawServer } from '../../support/raw-server.ts';

export interface HeldBackend extends AsyncDisposable {
  readonly url: string;
  /** The number of running calls. */
  readonly running: number;
  /** Answers all running calls. */
  release(): void;
}

export async function startHeldBackend(): Promise<HeldBackend> {
  let held: (() => void)[] = [];
  const server: RawServer = await startRawServer(({ method, message }, response) => {
    const answer = (result: object) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    };
    if (method !== 'POST') response.writeHead(405).end();
    else if (message.id === undefined) response.writeHead(202).end();
    else if (message.method === 'initialize') {
      const serverInfo = { name: 'held', version: '1' };
      answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
    } else if (message.method === 'tools/list') answer({ tools: [{ name: 'wait', inputSchema: { type: 'object' } }] });
    else if (message.method === 'tools/call') held.push(() => answer({ content: [{ type: 'text', text: 'waited' }] }));
    else response.writeHead(404).end();
  });
  return {
    url: `${server.origin}/mcp`,
    get running() {
      return held.length;
    },
    release: () => {
      for (const end of held) end();
      held = [];
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}
