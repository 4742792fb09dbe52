import { nearest } from './unknown-fields.ts';

/** Every prop that a construct takes, whichever alternative it is of. One that is forgotten is a type error. */
export type PropNames<P> = { readonly [F in P extends unknown ? keyof P : never]-?: true };

/**
 * Refuses props that there are not: what no type checker saw, such as a slip in JavaScript or in an object that is spread, would be
 * dropped in silence.
 *
 * @param what takes them, for the message
 * @param isSubclass constructors of subclasses hand on what their own props are, so that only slips are refused
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
