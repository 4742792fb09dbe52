/** `lintel-runtime list`: reads the lists of backends in the same way as a gateway. It serves nothing. */
import type { Readable, Writable } from 'node:stream';
import {
  type BackendQuery,
  type BackendResponse,
  getMember,
  type ListQuery,
  type PrivateDenial,
  UNAVAILABLE_BACKENDS_META,
  type UnavailableBackends,
} from '#schemas';
import { OptionError } from '#shared/util';
import { readOfferedItems } from './gateway/backends/read-offered-items.ts';
import { RpcError } from './gateway/backends/rpc-error.ts';
import type { OfferedItem } from './gateway/offers/offered-items.ts';
import { createLogger, type Logger } from './observe/log.ts';
import { describeFailure, openBackend } from './queried-backend.ts';
import { readAll, writeLine } from './standard-streams.ts';

/** Maximum number of backends that are asked at the same time. */
const CONCURRENCY = 8;

/**
 * Reads the request (the backends to list) from `input` to its end, and writes a line to `output` for each backend.
 * @throws OptionError for an invalid request
 */
export async function list(input: Readable, output: Writable): Promise<void> {
  const { backends, denial } = parseQuery(await readAll(input));
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
  // Opening a session takes no abort signal. At the time limit the session is closed, which ends its running requests.
  const giveUp = () => void session.close();
  late.addEventListener('abort', giveUp);
  try {
    const { protocolVersion, serverInfo } = await session.open();
    let unavailable: UnavailableBackends | undefined;
    const onPage = (page: OfferedItem) => {
      unavailable = toUnavailable(getMember(page._meta, UNAVAILABLE_BACKENDS_META)) ?? unavailable;
    };
    const items = await readOfferedItems(key, session, late, { onPage });
    return { key, ok: true, protocolVersion, serverInfo, ...items, ...(unavailable && { unavailable }) };
  } catch (error) {
    const unavailable = error instanceof RpcError ? readUnavailable(error) : undefined;
    return {
      key,
      ok: false,
      ...(unavailable && { unavailable }),
      ...(backend.challenge !== undefined && { challenge: backend.challenge }),
      message: late.aborted
        ? `did not finish within ${deadlineMs / 1000}s`
        : describeFailure(error, 'to list what it offers'),
    };
  } finally {
    late.removeEventListener('abort', giveUp);
    await backend.close();
  }
}

/** The unavailable backends that a Lintel gateway reports; undefined for a value that no Lintel gateway writes. */
function toUnavailable(value: unknown): UnavailableBackends | undefined {
  const [count, names] = [getMember(value, 'count'), getMember(value, 'names')];
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 1) return undefined;
  return { count, names: Array.isArray(names) ? names.filter(isBackendName) : [] };
}

/** Whether a text is a valid name of a backend. Other texts could move the cursor of a terminal or fill its screen. */
function isBackendName(name: unknown): name is string {
  return typeof name === 'string' && /^[\w.-]{1,253}$/.test(name);
}

/** The unavailable backends in the error of a gateway that refuses lists while a backend is unavailable. */
function readUnavailable({ data }: RpcError): UnavailableBackends | undefined {
  const backends = getMember(data, 'backends');
  if (!Array.isArray(backends)) return undefined;
  return toUnavailable({ count: backends.length, names: backends.map(backend => getMember(backend, 'name')) });
}

function parseQuery(text: string): ListQuery {
  try {
    const query = JSON.parse(text) as ListQuery;
    if (Array.isArray(query.backends)) return query;
  } catch {
    // The error is reported below, without the text, which may contain credentials.
  }
  throw new OptionError('list reads {"backends": […]} from standard input; `lintel lock` writes it');
}
