import type { MessageContext } from './handler.ts';

/**
 * The holder of a share of a common limit: a caller, or an address if callers are anonymous. All anonymous callers behind one proxy have one
 * share.
 */
export function getShareKey({ http, identity }: MessageContext): string {
  return identity.caller === undefined ? `${identity.key} ${http.socket.remoteAddress ?? ''}` : identity.key;
}
