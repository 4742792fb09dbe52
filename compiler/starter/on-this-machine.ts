import { isLoopback } from '../rules/support/plain-http.ts';
import type { StarterRemote } from './starter-server.ts';

/** An MCPServerEntry cannot name this machine, so its servers are static backends of the gateway. */
export function isOnThisMachine({ url }: Pick<StarterRemote, 'url'>): boolean {
  return isLoopback(url);
}
