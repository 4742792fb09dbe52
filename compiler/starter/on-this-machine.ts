import { isLoopback } from '../rules/plain-http.ts';
import type { StarterServer } from './starter-server.ts';

/** An MCPServerEntry cannot name this machine, so its servers are static backends of the gateway. */
export function isOnThisMachine({ url }: Pick<StarterServer, 'url'>): boolean {
  return isLoopback(url);
}
