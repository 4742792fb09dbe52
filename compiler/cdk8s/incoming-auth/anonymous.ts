import { captureCall } from '../origins.ts';
import type { Incoming } from './incoming.ts';

/**
 * Admits every caller that reaches the gateway, without authentication.
 *
 * @example
 * new Gateway(this, 'public', { group, incoming: Incoming.anonymous() });
 */
export function anonymous(): Incoming {
  const callSite = captureCall(anonymous).at();
  return {
    knowsCallers: false,
    bind: () => ({ incomingAuth: { type: 'anonymous' }, origins: [{ pointer: '/spec/incomingAuth', callSite }] }),
  };
}
