/** Describes the items that a gateway's list lacks while backends are unavailable. */
import type { UnavailableBackends } from '#schemas';
import { formatList } from '../text/describe.ts';

/** @param shown the gateway's address, without secrets */
export function formatMissingItems(shown: string, { count, names }: UnavailableBackends): string {
  const which = names.length === 0 ? '' : `: ${formatList(names)}`;
  const [backends, offers] =
    count === 1
      ? ['a backend of this gateway does', 'it offers']
      : [`${count} backends of this gateway do`, 'they offer'];
  return `${shown}: ${backends} not answer${which}; what ${offers} is missing here, and the log and /status of the gateway say why`;
}
