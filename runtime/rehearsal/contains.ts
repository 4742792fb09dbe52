import { isDeepStrictEqual } from 'node:util';

/** Whether arguments have these members; they may have others besides. */
export function contains(
  args: { readonly [name: string]: unknown },
  wanted: { readonly [name: string]: unknown },
): boolean {
  return Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(args[name], value));
}
