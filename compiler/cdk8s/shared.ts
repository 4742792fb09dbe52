/**
 * Data that constructs share about each other. A program may load this module twice, as CommonJS through a shared library and as an ES module.
 * The constructs of both copies have to find each other, so the data is not stored in the module.
 */
type SharedMaps = { [name: symbol]: WeakMap<WeakKey, unknown> | undefined };

/** The map of this name that all copies of this module share. */
export function sharedMap<K extends WeakKey, V>(name: string): WeakMap<K, V> {
  const key = Symbol.for(`lintel.dev/${name}`);
  const holder = globalThis as SharedMaps;
  holder[key] ??= new WeakMap();
  return holder[key] as WeakMap<K, V>;
}

const classes = sharedMap<object, string>('classes');

/** Records the class of an object for {@link isInstanceNamed}, because `instanceof` only works within one copy of the module. */
export function noteClass(object: object, name: string): void {
  classes.set(object, name);
}

export function isInstanceNamed(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && classes.get(value) === name;
}
