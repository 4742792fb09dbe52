/**
 * Removes an item from a list without keeping the order. For short lists that change with each call: V8 allocates a new table whenever the last
 * member of a `Set` is removed, and the old table keeps later ones alive until the next full garbage collection.
 */
export function swapRemove<T>(list: T[], item: T): void {
  const last = list.at(-1);
  const index = last === item ? list.length - 1 : list.indexOf(item);
  if (index === -1) return;
  list[index] = last as T;
  list.pop();
}
