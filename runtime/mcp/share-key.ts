import type { MessageContext } from './handler.ts';

/**
 * The key of the holder of a share in a common limit: the caller, or the address if callers are anonymous. So all anonymous callers behind one proxy
 * have one share.
 */
export function getShareKey({ http, identity }: MessageContext): string {
  return identity.caller === undefined ? `${identity.key} ${http.socket.remoteAddress ?? ''}` : identity.key;
}
