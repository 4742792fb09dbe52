/**
 * Measures what two HTTP hops cost in Node alone: one process forwards a POST to a second one, which writes it to a stdio server. Both use plain
 * `node:http` and kept-alive connections. No gateway with a bridge can be faster, because it has the same two processes and does more work.
 */
import { join } from 'node:path';
import { start } from '../../support/process.ts';

const SERVER = join(import.meta.dirname, 'bare-server.ts');

export interface BareHops extends AsyncDisposable {
  readonly url: string;
}

/** @param program the path of a Node script that is a stdio server */
export async function startBareHops(program: string): Promise<BareHops> {
  const answering = start(SERVER, [process.execPath, program]);
  const { url: last } = await answering.announcement<{ readonly url: string }>();
  const passing = start(SERVER, [last]);
  const { url } = await passing.announcement<{ readonly url: string }>();
  return {
    url,
    async [Symbol.asyncDispose]() {
      await Promise.all([answering[Symbol.asyncDispose](), passing[Symbol.asyncDispose]()]);
    },
  };
}
