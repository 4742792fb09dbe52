import { isObject } from '#schemas';
import type { ManifestFields } from '../manifest.ts';

/** Adds missing members. A value that is not a mapping is returned unchanged. */
export function fill(value: unknown, defaults: ManifestFields): unknown {
  return isObject(value) ? { ...value, ...defaults, ...value } : value;
}

/** Transforms members that exist. */
export function change(value: unknown, changes: { readonly [member: string]: (value: unknown) => unknown }): unknown {
  if (!isObject(value)) return value;
  const changed = Object.entries(changes)
    .filter(([member]) => value[member] !== undefined)
    .map(([member, how]) => [member, how(value[member])]);
  return { ...value, ...Object.fromEntries(changed) };
}

/** Transforms each item of a list. */
export function each(how: (value: unknown) => unknown): (value: unknown) => unknown {
  return value => (Array.isArray(value) ? value.map(how) : value);
}

/** Composes steps. */
export function steps(...all: readonly ((value: unknown) => unknown)[]): (value: unknown) => unknown {
  return value => all.reduce((result, step) => step(result), value);
}

/** `fill` as a step. */
export function filled(defaults: ManifestFields): (value: unknown) => unknown {
  return value => fill(value, defaults);
}

/** `change` as a step. */
export function changed(changes: Parameters<typeof change>[1]): (value: unknown) => unknown {
  return value => change(value, changes);
}
