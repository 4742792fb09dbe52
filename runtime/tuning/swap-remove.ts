/**
 * Takes an item out of a list; those behind it may change places.
 *
 * For what comes and goes with each call and is a handful at a time: V8 makes a `Set` again whenever its last member leaves, and
 * what was its table keeps later ones alive until the next large collection of garbage.
 */
export function swapRemove<T>(list: T[], item: T): void {
  const last = list.at(-1);
  const index = last === item ? list.length - 1 : list.indexOf(item);
  if (index === -1) return;
  list[index] = last as T;
  list.pop();
}
