/** Whether the names of a backend's items can never collide with those of other backends, for all items that backends may offer. */
import type { AggregationPlan, BackendPlan } from '#schemas';

/** The settings of a backend that decide about names. */
export type NamedBackend = Pick<BackendPlan, 'name' | 'tools'>;

/** Whether the two backends can never give an item the same name. */
export function areNamesDisjoint(
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
