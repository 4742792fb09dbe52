/** Reads the status of a running gateway. */
import { existsSync } from 'node:fs';
import { getMember } from '#schemas';
import { LinkedAbort } from '#shared/util';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { UsageError } from '../usage-error.ts';
import { type GatewayStatus, parseGatewayStatus } from './gateway-status.ts';

/** Timeout of an answer; milliseconds. */
const ANSWER_MS = 5_000;

const WHERE =
  'give the internal address of a gateway (--internal-address, 127.0.0.1:8081 by default), which `lintel dev` and `lintel serve` print when they start, and not the URL that clients call';

/** There is no status to show. */
export class NoStatusError extends Error {
  override readonly name = 'NoStatusError';
}

/**
 * The status URL for an address that a person enters: `127.0.0.1:8081`, `http://127.0.0.1:8081`, `http://127.0.0.1:8081/status`, or the port of this
 * machine alone.
 *
 * @throws UsageError for any other address
 */
export function toStatusUrl(serverAddress: string): URL {
  const [, port] = /^:?(\d{1,5})$/.exec(serverAddress) ?? [];
  const address = port === undefined ? serverAddress : `127.0.0.1:${port}`;
  // A file or folder has no port and no scheme, and an address without both is most likely a path in the wrong place.
  if (!/[:[]/.test(address) && existsSync(address))
    throw new UsageError(
      `${JSON.stringify(serverAddress)} is a path: give the internal address of the gateway first, such as http://127.0.0.1:8081`,
    );
  const url = URL.parse(address.includes('://') ? address : `http://${address}`);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `${JSON.stringify(serverAddress)} is no URL of a gateway: give its internal address, such as http://127.0.0.1:8081`,
    );
  if (url.username !== '' || url.password !== '')
    throw new UsageError('the URL holds credentials, which the internal address does not ask for: leave them out');
  if (url.pathname === '/') url.pathname = '/status';
  url.hash = '';
  return url;
}

/**
 * @param ended aborts when the result is no longer needed
 * @throws NoStatusError
 */
export async function readStatus(url: URL, ended?: AbortSignal): Promise<GatewayStatus> {
  const page = await readStatusPage(url, ended);
  const status = parseGatewayStatus(page);
  if (getMember(page, 'registry') !== undefined)
    throw new NoStatusError(
      `${url} is of a registry server: \`lintel top\` shows gateways, and the page itself has what is known`,
    );
  if (status === undefined) throw new NoStatusError(`${url} answers, but not with the status of a gateway: ${WHERE}`);
  return status;
}

/**
 * The whole page of a gateway or registry server, without a check which of the two it is.
 * @throws NoStatusError
 */
export async function readStatusPage(url: URL, ended?: AbortSignal): Promise<unknown> {
  return parseStatus(url, await fetchText(url, ended));
}

async function fetchText(url: URL, ended: AbortSignal | undefined): Promise<string> {
  using limit = new LinkedAbort([ended], ANSWER_MS);
  let response: Response;
  try {
    const { signal } = limit;
    response = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'error', signal });
    if (response.ok) return await response.text();
    await response.body?.cancel();
  } catch (error) {
    throw new NoStatusError(`${url} cannot be read: ${describeCause(error, url)}`);
  }
  throw new NoStatusError(`${url} answers HTTP ${response.status}: ${WHERE}`);
}

function parseStatus(url: URL, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NoStatusError(`${url} answers, but not with JSON: ${WHERE}`);
  }
}

function describeCause(error: unknown, { protocol, port }: URL): string {
  if ((error as Error).name === 'TimeoutError') return `no answer within ${ANSWER_MS / 1_000} s`;
  const cause = (error as Error).cause;
  // For a name with several addresses, the combined error has no message of its own.
  const { code, message } = (
    cause instanceof AggregateError ? cause.errors[0] : (cause ?? error)
  ) as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED')
    return 'the connection was refused: nothing listens there. `lintel dev` and `lintel serve` print the internal address of a gateway when they start';
  if (code === 'EAI_AGAIN') return `the name service does not answer for this host; ${WHERE}`;
  if (code === 'ENOTFOUND') return `there is no such host; ${WHERE}`;
  if (message === 'bad port') return `port ${port} is of another protocol; ${WHERE}`;
  if (code?.startsWith('ERR_SSL') === true && protocol === 'https:')
    return 'it does not speak TLS: write http:// in place of https://';
  return escapeUnprintable(message.split('\n')[0] ?? '');
}
