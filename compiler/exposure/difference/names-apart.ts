/** Whether what a backend offers can meet what others offer under the same name or URI, whatever the backends offer. */
import type { AggregationPlan, BackendPlan } from '#schemas';
import type { ExposedResource, Exposure } from '../exposure.ts';

/** A backend as its names go. */
export type NamedBackend = Pick<BackendPlan, 'name' | 'tools'>;

/** Whether no name that one backend may get can be one of another's. */
export function areNamesApart(
  { strategy }: AggregationPlan,
  one: NamedBackend,
  others: readonly NamedBackend[],
): boolean {
  if (others.length === 0) return true;
  const { prefix } = one.tools;
  return (
    strategy === 'prefix' &&
    others.every(({ tools }) => !tools.prefix.startsWith(prefix) && !prefix.startsWith(tools.prefix))
  );
}

/** Whether no URI that a backend serves would be another's without it, as far as the lock knows what they offer. */
export function areUrisApart({ resources, resourceTemplates, backends, complete }: Exposure, backend: string): boolean {
  if (backends.length < 2) return true;
  if (!complete) return false;
  const starts = (items: readonly ExposedResource[], isOwn: boolean) =>
    items.filter(item => (item.backend === backend) === isOwn).map(({ uri }) => literalStart(uri));
  const all = [...resources, ...resourceTemplates];
  const others = starts(all, false);
  return starts(all, true).every(own => others.every(other => !own.startsWith(other) && !other.startsWith(own)));
}

/** What every URI of a template begins with (RFC 6570). */
function literalStart(uri: string): string {
  return uri.replace(/\{.*$/s, '');
}
