/** Rules that merge the values of several workers into one. */

/** @param values the values of the workers, in the order of their numbers; at least one */
export type Merge<T> = (values: readonly T[]) => T;

/** The first worker's value; for values that are the same at all workers. */
export function first<T>(values: readonly T[]): T {
  return values[0] as T;
}

export const sum: Merge<number> = values => values.reduce((all, value) => all + value, 0);

export const every: Merge<boolean> = values => values.every(Boolean);

export const some: Merge<boolean> = values => values.some(Boolean);

/** The first value that is not null. */
export function firstNotNull<T>(values: readonly (T | null)[]): T | null {
  return values.find(value => value !== null) ?? null;
}

/** Merges an object by a rule for each member; a type with a member that has no rule does not compile. */
export function members<T extends object>(rules: { readonly [M in keyof T]-?: Merge<T[M]> }): Merge<T> {
  const names = Object.keys(rules) as (keyof T)[];
  return values => {
    const merged = names.map(name => [name, rules[name](values.map(value => value[name]))] as const);
    return Object.fromEntries(merged) as T;
  };
}

/** Null if any worker's value is null. */
export function unlessNull<T>(rule: Merge<T>): Merge<T | null> {
  return values => {
    const present = values.filter(value => value !== null);
    return present.length < values.length ? null : rule(present);
  };
}

/** Merges entries of lists by their key, in the order of the first list. */
export function entries<T>(keyOf: (entry: T) => string, rule: Merge<T>): Merge<readonly T[]> {
  return lists => {
    const byKey = Map.groupBy(lists.flat(), keyOf);
    return [...byKey.values()].map(rule);
  };
}
