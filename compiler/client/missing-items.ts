/** What a list of a gateway lacks while backends of it are away. */
import type { UnavailableBackends } from '#schemas';
import { listed } from '../text/describe.ts';

/** @param shown where the gateway is, without secrets */
export function missingItems(shown: string, { count, names }: UnavailableBackends): string {
  const which = names.length === 0 ? '' : `: ${listed(names)}`;
  const [backends, offers] =
    count === 1
      ? ['a backend of this gateway does', 'it offers']
      : [`${count} backends of this gateway do`, 'they offer'];
  return `${shown}: ${backends} not answer${which}; what ${offers} is missing here, and the log and /status of the gateway say why`;
}
