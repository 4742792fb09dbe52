/** `lintel-runtime list`: asks backends what they offer, in the way in which a gateway asks. Nothing is served. */
import type { Readable, Writable } from 'node:stream';
import type { BackendQuery, BackendResponse, ListQuery, PrivateDenial } from '#schemas';
import { OptionError } from '#util';
import { readOfferedItems } from './gateway/backends/read-offered-items.ts';
import { createLogger, type Logger } from './observe/log.ts';
import { describeFailure, openBackend } from './queried-backend.ts';
import { readAll, writeLine } from './standard-streams.ts';

/** Backends that are asked at the same time. */
const CONCURRENCY = 8;

/**
 * Reads the question from `input` to its end and writes a line to `output` for each backend.
 *
 * @throws OptionError when the question is none
 */
export async function list(input: Readable, output: Writable): Promise<void> {
  const { backends, denial } = questionIn(await readAll(input));
  const waiting = [...backends];
  const log = createLogger('silent');
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await writeLine(output, JSON.stringify(await ask(next, denial, log)));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

async function ask(query: BackendQuery, denial: PrivateDenial | undefined, log: Logger): Promise<BackendResponse> {
  const { key, deadlineMs } = query;
  const backend = await openBackend(query, denial, log);
  const { session } = backend;
  const late = AbortSignal.timeout(deadlineMs);
  // Opening a session heeds no signal; closing it ends whatever is under way.
  const giveUp = () => void session.close();
  late.addEventListener('abort', giveUp);
  try {
    const { protocolVersion, serverInfo } = await session.open();
    return { key, ok: true, protocolVersion, serverInfo, ...(await readOfferedItems(key, session, late)) };
  } catch (error) {
    return {
      key,
      ok: false,
      message: late.aborted
        ? `did not finish within ${deadlineMs / 1000}s`
        : describeFailure(error, 'to list what it offers'),
    };
  } finally {
    late.removeEventListener('abort', giveUp);
    await backend.close();
  }
}

function questionIn(text: string): ListQuery {
  try {
    const query = JSON.parse(text) as ListQuery;
    if (Array.isArray(query.backends)) return query;
  } catch {
    // Said below: the text may hold credentials and is not repeated.
  }
  throw new OptionError('list reads {"backends": […]} from standard input; `lintel lock` writes it');
}
