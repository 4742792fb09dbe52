/** Whether what a backend offers can meet what others offer under the same name, whatever the backends offer. */
import type { AggregationPlan, BackendPlan } from '#schemas';

/** The parts of a backend that decide about its names. */
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
