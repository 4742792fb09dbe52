import { compareText } from '#schemas';
import type { ObjectRef } from '../diagnostics/diagnostic.ts';

/** Compares by namespace, then by name. */
export function compareByName(a: { readonly object: ObjectRef }, b: { readonly object: ObjectRef }): number {
  return compareText(a.object.namespace, b.object.namespace) || compareText(a.object.name, b.object.name);
}
