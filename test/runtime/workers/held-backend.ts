/** A backend whose calls are under way until the test lets them end. */
import { type RawServer, startRawServer } from '../../support/raw-server.ts';

export interface HeldBackend extends AsyncDisposable {
  readonly url: string;
  /** Calls that are under way. */
  readonly running: number;
  /** Calls that were cancelled by the client. */
  readonly cancelled: number;
  /** Answers all of them. */
  release(): void;
}

export async function startHeldBackend(): Promise<HeldBackend> {
  let held: (() => void)[] = [];
  let cancelled = 0;
  const server: RawServer = await startRawServer(({ method, message }, response) => {
    const answer = (result: object) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    };
    if (method !== 'POST') response.writeHead(405).end();
    else if (message.id === undefined) {
      if (message.method === 'notifications/cancelled') cancelled++;
      response.writeHead(202).end();
    } else if (message.method === 'initialize') {
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
    get cancelled() {
      return cancelled;
    },
    release: () => {
      for (const end of held) end();
      held = [];
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}
