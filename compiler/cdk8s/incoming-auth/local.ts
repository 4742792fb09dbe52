import { captureCall } from '../origins.ts';
import type { Incoming } from './incoming.ts';

/**
 * Treats every caller as the user who runs the gateway. The gateway then listens on loopback addresses only, for local use.
 *
 * @example
 * new Gateway(this, 'mine', { group, incoming: Incoming.local() });
 */
export function local(): Incoming {
  const callSite = captureCall(local).at();
  return {
    knowsCallers: false,
    bind: () => ({
      configIncomingAuth: { type: 'local' },
      origins: [{ pointer: '/spec/config/incomingAuth', callSite }],
    }),
  };
}
