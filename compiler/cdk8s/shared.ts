/**
 * What constructs know of each other besides types. A program may load this module twice, as CommonJS through a shared library and as
 * ES module, and the constructs of both have to know each other; so nothing of it is kept in the module.
 */
type Holder = { [name: symbol]: WeakMap<WeakKey, unknown> | undefined };

/** The map of this name that all copies of this module have. */
export function sharedMap<K extends WeakKey, V>(name: string): WeakMap<K, V> {
  const key = Symbol.for(`lintel.dev/${name}`);
  const holder = globalThis as Holder;
  holder[key] ??= new WeakMap();
  return holder[key] as WeakMap<K, V>;
}

const classes = sharedMap<object, string>('classes');

/** Notes of which class an object is, for {@link isInstanceNamed}: `instanceof` knows those of one copy only. */
export function noteClass(object: object, name: string): void {
  classes.set(object, name);
}

export function isInstanceNamed(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && classes.get(value) === name;
}
