import type { ObjectRef } from './diagnostic.ts';

/** Identifies an object among the objects of some sources: `kind/namespace/name`. */
export function formatObjectKey({ kind, namespace, name }: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}
