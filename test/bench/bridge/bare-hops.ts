/**
 * What two hops over HTTP cost in Node by themselves: a process that passes a POST on, and one that hands it to a stdio server, by
 * `node:http` on kept connections with nothing in between. No gateway with a bridge behind it can be quicker: those are the same two
 * processes, and decide something as well.
 */
import { join } from 'node:path';
import { start } from '../../support/process.ts';

const SERVER = join(import.meta.dirname, 'bare-server.ts');

export interface BareHops extends AsyncDisposable {
  readonly url: string;
}

/** @param program a script of Node that is a stdio server */
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
