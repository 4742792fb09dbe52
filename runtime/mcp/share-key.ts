import type { MessageContext } from './handler.ts';

/**
 * Who has a share of what is limited for all: a caller, or an address where callers have no names. All callers behind one proxy
 * has one share there.
 */
export function getShareKey({ http, identity }: MessageContext): string {
  return identity.caller === undefined ? `${identity.key} ${http.socket.remoteAddress ?? ''}` : identity.key;
}
