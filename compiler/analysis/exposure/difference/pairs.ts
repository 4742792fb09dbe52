/** Pairs the items of two lists that are the same item. */

/** A pair has at least one side. */
export type Pair<T> = readonly [before: T, after: T] | readonly [before: T, after: undefined] | readonly [undefined, T];

/**
 * Pairs by the first key, then the remaining items by the next key: a renamed item is found by its origin, and an item with a new origin by its
 * name. Items with the same key are paired in their order.
 */
export function pairItems<T>(
  before: readonly T[],
  after: readonly T[],
  ...keys: readonly ((item: T, side: 'before' | 'after') => string)[]
): readonly Pair<T>[] {
  const pairs: Pair<T>[] = [];
  let [old, now] = [before, after];
  for (const key of keys) {
    const waiting = Map.groupBy(old, item => key(item, 'before'));
    const partners = new Map<T, T>();
    for (const item of now) {
      const partner = waiting.get(key(item, 'after'))?.shift();
      if (partner !== undefined) partners.set(item, partner);
    }
    for (const [item, partner] of partners) pairs.push([partner, item]);
    const taken = new Set(partners.values());
    old = old.filter(item => !taken.has(item));
    now = now.filter(item => !partners.has(item));
  }
  return [...pairs, ...old.map((item): Pair<T> => [item, undefined]), ...now.map((item): Pair<T> => [undefined, item])];
}
