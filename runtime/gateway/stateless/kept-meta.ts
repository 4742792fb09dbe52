import type { RequestMeta } from '../../mcp/envelope.ts';
import { META } from '../../mcp/meta-names.ts';

/** Members of `_meta` that only a stateless backend knows what to do with. */
const STATELESS_META: ReadonlySet<string> = new Set([
  META.protocolVersion,
  META.clientInfo,
  META.clientCapabilities,
  META.logLevel,
]);

/** What of a request's `_meta` has a meaning for a backend with sessions, as JSON text. */
export function keptMeta({ text, hasMore }: RequestMeta): string {
  if (!hasMore) return '{}';
  const meta = JSON.parse(text) as { readonly [name: string]: unknown };
  return JSON.stringify(Object.fromEntries(Object.entries(meta).filter(([name]) => !STATELESS_META.has(name))));
}
