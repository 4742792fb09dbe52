/** Random choices that are the same in every run on every machine. */
export interface Seeded {
  /** An integer from 0 to `below - 1`. */
  int(below: number): number;
  /** At most `count` items of the list, in random order. */
  some<T>(list: readonly T[], count: number): readonly T[];
}

/** @see https://en.wikipedia.org/wiki/Xorshift */
export function seeded(seed: number): Seeded {
  let state = seed >>> 0 || 1;
  const int = (below: number): number => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
  return {
    int,
    some: (list, count) => {
      const rest = [...list];
      return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(int(rest.length), 1)).flat();
    },
  };
}
