import { META } from '../meta-keys.ts';
import type { Implementation } from './handler.ts';

/** How long, and by which clients, a result may be cached. */
export interface CacheHint {
  readonly ttlMs: number;
  /** `public` when the result is the same for every caller. */
  readonly cacheScope: 'public' | 'private';
}

/**
 * The members that every result of the gateway itself has in the stateless revision, as JSON text without braces.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#result-responses
 */
export function formatResultMembers(
  serverInfo: Implementation,
  more: {
    /** For results that can be cached: lists, `resources/read`, `server/discover`. */
    readonly cache?: CacheHint;
    /** Members of `_meta`, as JSON text without braces. */
    readonly meta?: string;
  } = {},
): string {
  const { cache, meta } = more;
  const hint = cache === undefined ? '' : `,"ttlMs":${cache.ttlMs},"cacheScope":"${cache.cacheScope}"`;
  const stamp = meta === undefined ? '' : `,${meta}`;
  const info = `"${META.serverInfo}":${JSON.stringify(serverInfo)}`;
  return `"resultType":"complete"${hint},"_meta":{${info}${stamp}}`;
}

/** A result of the gateway itself with its own members, as JSON text. */
export function completeResult(
  serverInfo: Implementation,
  members: { readonly [name: string]: unknown },
  cache?: CacheHint,
): string {
  const own = JSON.stringify(members).slice(1, -1);
  const common = formatResultMembers(serverInfo, cache === undefined ? {} : { cache });
  return `{${common}${own === '' ? '' : `,${own}`}}`;
}
