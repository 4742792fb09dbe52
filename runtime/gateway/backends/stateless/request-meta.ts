/** The `_meta` about the caller that a stateless backend gets with every request. */

import { META } from '../../../mcp/meta-keys.ts';
import { STATELESS_REVISION } from '../../../mcp/protocol-revisions.ts';
import type { BackendContext } from '../context.ts';
import { RequestMeta } from './request-text.ts';

/** Builds the `_meta` of requests on behalf of the context's caller. Without a level a backend sends the gateway no logs. */
export function buildRequestMeta({ caller, clientInfo }: BackendContext, logLevel?: string): RequestMeta {
  const members = new Map([
    [META.protocolVersion as string, JSON.stringify(STATELESS_REVISION)],
    [META.clientInfo, JSON.stringify(caller.clientInfo ?? clientInfo)],
    [META.clientCapabilities, JSON.stringify(caller.capabilities)],
  ]);
  if (logLevel !== undefined) members.set(META.logLevel, JSON.stringify(logLevel));
  return new RequestMeta(members);
}
