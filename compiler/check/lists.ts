/** Checks that items of a list are unique (`x-kubernetes-list-type`). */
import type { StructuralSchema } from '#schemas';
import { quote } from '../text/describe.ts';
import type { Finding } from './violation.ts';

/** Findings about items that are equal to an earlier item, with their index. `isShown` allows values in messages. */
export function findDuplicates(
  schema: StructuralSchema,
  list: readonly unknown[],
  isShown: boolean,
): { readonly index: number; readonly finding: Finding }[] {
  const identity = findIdentity(schema);
  if (identity === undefined) return [];
  const keys = schema['x-kubernetes-list-map-keys'];
  const secret = keys?.some(key => schema.items?.properties?.[key]?.['x-lintel-sensitive']);
  const first = new Map<string, number>();
  return list.flatMap((item, index) => {
    const parts = identity(item);
    if (parts === undefined) return [];
    const id = parts.map(part => `${typeof part}:${JSON.stringify(String(part))}`).join();
    const previous = first.get(id);
    if (previous === undefined) {
      first.set(id, index);
      return [];
    }
    const values = parts.map(part => (typeof part === 'string' ? quote(part) : String(part)));
    const what = keys
      ? keys.map((key, at) => (isShown && !secret ? `${key} ${values[at]}` : key)).join(', ')
      : values.join();
    const message = keys
      ? `items must differ in ${keys.join(', ')}: item ${index} has the same ${what} as item ${previous}`
      : `items must differ: item ${index}${isShown ? `, ${what},` : ''} is the same as item ${previous}`;
    return [{ index, finding: { kind: 'duplicate-item', message, ...(keys ? { field: keys.join(', ') } : {}) } }];
  });
}

type Identity = (item: unknown) => readonly unknown[] | undefined;

/** The part of an item that must be unique; undefined for an item that is invalid in another way. */
function findIdentity(schema: StructuralSchema): Identity | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return item => (isScalar(item) ? [toPlainValue(item)] : undefined);
    case 'map':
      return item => {
        if (typeof item !== 'object' || item === null) return undefined;
        const values = keys.map(key =>
          toPlainValue(Object.hasOwn(item, key) ? Reflect.get(item, key) : schema.items?.properties?.[key]?.default),
        );
        return values.every(isScalar) ? values : undefined;
      };
    default:
      return undefined;
  }
}

/** An integer is the same whether parsed as a number or as a bigint. */
function toPlainValue(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}
