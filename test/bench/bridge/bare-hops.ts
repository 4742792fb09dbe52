/**
 * What two hops over HTTP cost in Node by itself: a process that passes a POST on and one that answers it, by `node:http` on kept connections,
 * with nothing in between. No gateway with a bridge behind it can be quicker, since those are two processes more as well.
 */
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { start } from '../../support/process.ts';

/** As `tools/call` and its answer are, in bytes. */
const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', arguments: {} } });

const SERVER = join(import.meta.dirname, 'bare-server.ts');

export interface BareHops extends AsyncDisposable {
  call(): Promise<void>;
}

export async function startBareHops(): Promise<BareHops> {
  const answering = start(SERVER, []);
  const { url: last } = await answering.announcement<{ readonly url: string }>();
  const passing = start(SERVER, [last]);
  const { url } = await passing.announcement<{ readonly url: string }>();
  const agent = new Agent({ keepAlive: true });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(BODY) };
  return {
    call: () =>
      new Promise((resolve, reject) => {
        const sent = request(url, { agent, method: 'POST', headers }, answer => {
          answer.resume().once('end', resolve).once('error', reject);
        });
        sent.once('error', reject).end(BODY);
      }),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await Promise.all([answering[Symbol.asyncDispose](), passing[Symbol.asyncDispose]()]);
    },
  };
}
