import type { Incoming } from '../incoming.ts';
import { captureCall } from '../origins.ts';

/**
 * Takes every caller for the user who runs the gateway, which then answers on loopback addresses only: for one's own machine.
 *
 * @example
 * new Gateway(this, 'mine', { group, incoming: Incoming.local() });
 */
export function local(): Incoming {
  const given = captureCall(local).at();
  return {
    knowsCallers: false,
    bind: () => ({
      configIncomingAuth: { type: 'local' },
      origins: [{ pointer: '/spec/config/incomingAuth', given }],
    }),
  };
}
