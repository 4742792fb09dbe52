import { META } from '../../mcp/meta-names.ts';
import { ownText } from '../../mcp/own-text.ts';

/** Members of `_meta` that only a stateless backend knows what to do with. */
const STATELESS_META: ReadonlySet<string> = new Set([
  META.protocolVersion,
  META.clientInfo,
  META.clientCapabilities,
  META.logLevel,
]);

/** Clients say the same of themselves again and again: what is left of it, by its text. */
const known = new Map<string, string>();
const MAX_KNOWN = 256;
const LONGEST_KNOWN = 4_096;

/** What of a request's `_meta` (JSON text) has a meaning for a backend with sessions, as JSON text. */
export function keptMeta(text: string): string {
  const earlier = known.get(text);
  if (earlier !== undefined) return earlier;
  const meta = JSON.parse(text) as { readonly [name: string]: unknown };
  const kept = JSON.stringify(Object.fromEntries(Object.entries(meta).filter(([name]) => !STATELESS_META.has(name))));
  if (known.size >= MAX_KNOWN) known.clear();
  if (text.length <= LONGEST_KNOWN) known.set(ownText(text), kept);
  return kept;
}
