/** Whether the names of a backend's items can never collide with those of other backends, whatever the backends offer. */
import type { AggregationPlan, BackendPlan } from '#schemas';

/** The settings of a backend that decide about names. */
export type NamedBackend = Pick<BackendPlan, 'name' | 'tools'>;

/** Whether no name that one backend can give is a name that the other can give. */
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
