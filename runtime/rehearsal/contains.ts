import { isDeepStrictEqual } from 'node:util';

/** Whether the arguments of a call have these members; they may have more. */
export function contains(
  args: { readonly [name: string]: unknown },
  expected: { readonly [name: string]: unknown },
): boolean {
  return Object.entries(expected).every(([name, value]) => isDeepStrictEqual(args[name], value));
}
