/** `generated/cdk8s/fields.json`: the known fields, for validating values that no type checker has seen. */
import type { KnownFields, Shape } from '../../known-fields.ts';
import type { InternalKind } from '../internal-schema.ts';
import type { StructuralSchema } from '../structural-schema.ts';
import { isInterface } from '../type-text.ts';
import { collectObjects } from './specs.ts';

export function collectKnownFields(kinds: readonly InternalKind[]): KnownFields {
  return {
    specs: Object.fromEntries(kinds.map(({ kind, spec }) => [kind, toShape(spec)])),
    types: Object.fromEntries(
      [...collectObjects(kinds)].map(([title, { properties = {} }]) => [
        title,
        Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, toShape(field)])),
      ]),
    ),
  };
}

function toShape(schema: StructuralSchema): Shape {
  if (isInterface(schema)) return schema['x-kubernetes-preserve-unknown-fields'] ? '' : (schema.title ?? '');
  const [mark, inside] = schema.items ? ['[]', schema.items] : ['{}', schema.additionalProperties];
  const shape = inside ? toShape(inside) : '';
  return shape === '' ? '' : `${mark}${shape}`;
}
