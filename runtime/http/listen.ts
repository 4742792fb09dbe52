/** Listens at the addresses of the command line. */
import { type Address, formatListenProblem } from '#shared/util';
import { type Listener, type ListenerOptions, startListener } from './listener.ts';

/** An address cannot be bound; the message names the flag that changes it. */
export class ListenError extends Error {
  readonly code = 'ERR_LISTEN';
}

/** An address to bind. With `orFree`, any free port of the host is bound if the port of the address is in use. */
export type ListenAddress = Address & { readonly orFree?: boolean };

/** @throws ListenError */
export async function listen(
  flag: string,
  { host, port, orFree = false }: ListenAddress,
  options: Omit<ListenerOptions, 'host' | 'port'>,
): Promise<Listener> {
  try {
    return await startListener({ ...options, host, port });
  } catch (error) {
    // Only listening shows whether the port is in use: between a check and listening, another program could take the port.
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (orFree && isTaken) return await listen(flag, { host, port: 0 }, options);
    throw listenError(flag, { host, port }, error);
  }
}

export function listenError(flag: string, address: Address, error: unknown): ListenError {
  return new ListenError(formatListenProblem(flag, address, error));
}

/** @param port the bound port */
export function formatUrl(host: string, port: number): string {
  return `http://${addBrackets(host)}:${port}`;
}

/** The host as it is written before a port: an IPv6 address needs brackets, because it contains colons. */
function addBrackets(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
