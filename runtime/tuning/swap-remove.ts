/**
 * Removes an item from a list without keeping the order; for short lists that change with each tool call. A `Set` would be worse: V8 allocates a new
 * table whenever the last member is removed, and the old table keeps objects in memory until the next full garbage collection.
 */
export function swapRemove<T>(list: T[], item: T): void {
  const last = list.at(-1);
  const index = last === item ? list.length - 1 : list.indexOf(item);
  if (index === -1) return;
  list[index] = last as T;
  list.pop();
}
