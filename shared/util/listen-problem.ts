import type { Address } from './options.ts';

/**
 * Why a program cannot listen at an address, and what to do.
 *
 * @param flag the option that chooses the address
 */
export function formatListenProblem(flag: string, { host, port }: Address, error: unknown): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return `cannot listen on ${shown}:${port}: ${describeCause(error)}; choose another address with ${flag}`;
}

function describeCause(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRINUSE':
      return 'the address is in use';
    case 'EACCES':
      return 'this user may not listen on this port';
    case 'EADDRNOTAVAIL':
      return 'this machine does not have the address';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'there is no host of this name';
    default:
      return code ?? message;
  }
}
