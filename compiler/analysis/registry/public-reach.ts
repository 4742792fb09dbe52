import { findRefusedHost } from '#schemas';
import { classifyHost } from './host-kind.ts';

/**
 * The outcome of connecting to a URL's host when only public addresses are allowed:
 *
 * - `refused`: always refused, independent of DNS.
 * - `doubtful`: refused if the name resolves to a private address, as it usually does.
 * - `reached`: no known reason to refuse.
 */
export type PublicReach = 'refused' | 'doubtful' | 'reached';

/** Whether clients on the internet reach a URL; `reached` for a text that is not a URL. */
export function classifyPublicReach(url: string): PublicReach {
  const host = URL.parse(url)?.hostname ?? '';
  if (host === '') return 'reached';
  if (findRefusedHost(host, 'public') !== undefined) return 'refused';
  return classifyHost(url) === 'private' ? 'doubtful' : 'reached';
}
