/** Random choices that a seed reproduces (mulberry32). */
export interface Random {
  /** An integer from 0 up to, but not including, `end`. */
  below(end: number): number;
  /** True with this probability, 0..1. */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** A random subset, in the original order. */
  some<T>(items: readonly T[]): readonly T[];
}

export function createRandom(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    chance: probability => next() < probability,
    pick: items => {
      if (items.length === 0) throw new Error('there is nothing to pick from');
      return items[below(items.length)] as (typeof items)[number];
    },
    some: items => items.filter(() => next() < 0.5),
  };
}
