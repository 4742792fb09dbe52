import { nearest } from './unknown-fields.ts';

/** Every prop of a construct, in all alternatives of its type. Forgetting one is a type error. */
export type PropNames<P> = { readonly [F in P extends unknown ? keyof P : never]-?: true };

/**
 * Refuses unknown props. Without this check, a misspelt prop that no type checker saw, in JavaScript or in a spread object, would be dropped
 * silently.
 *
 * @param what the construct, for the message
 * @param isSubclass whether it is a subclass, which may pass props of its own, so that only near misspellings are refused
 * @throws TypeError naming the prop
 */
export function checkProps<P extends object>(
  what: string,
  props: P | undefined,
  names: PropNames<P>,
  isSubclass = false,
): void {
  const known = Object.keys(names);
  for (const name of Object.keys(props ?? {})) {
    if (Object.hasOwn(names, name)) continue;
    const near = nearest(name, known);
    if (near !== undefined) throw new TypeError(`${what} takes no "${name}"; did you mean "${near}"?`);
    if (!isSubclass) throw new TypeError(`${what} takes no "${name}"; it takes ${known.join(', ')}`);
  }
}

/** The props of `NamingProps`. */
export const NAMING = { name: true, namespace: true, labels: true, annotations: true } as const;
