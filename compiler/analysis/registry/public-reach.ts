import { refusedHost } from '#schemas';
import { hostKind } from './host-kind.ts';

/**
 * What becomes of connections to the host of a URL where only public addresses are allowed:
 *
 * - `refused`: they are, whatever a name service says.
 * - `doubtful`: the name usually leads to a private address, and then they are.
 * - `reached`: nothing that is written speaks against it.
 */
export type PublicReach = 'refused' | 'doubtful' | 'reached';

/** Whether clients on the internet reach a URL; `reached` for a text that is no URL. */
export function publicReach(url: string): PublicReach {
  const host = URL.parse(url)?.hostname ?? '';
  if (host === '') return 'reached';
  if (refusedHost(host, 'public') !== undefined) return 'refused';
  return hostKind(url) === 'private' ? 'doubtful' : 'reached';
}
