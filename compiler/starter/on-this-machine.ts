import { isLoopback } from '../rules/support/plain-http.ts';
import type { StarterRemote } from './starter-server.ts';

/** An MCPServerEntry cannot refer to this machine, so such servers become inline backends of the gateway. */
export function isOnThisMachine({ url }: Pick<StarterRemote, 'url'>): boolean {
  return isLoopback(url);
}
