import type { GatewayConfig } from '#schemas';
import { createReference, getNode, type Json, requireExpression } from './expression.ts';
import type { Reference, Text } from './reference.ts';
import { argument } from './template/argument.ts';
import { templateText } from './template/text.ts';
import { Value } from './value.ts';

type PropertySpec = NonNullable<NonNullable<GatewayConfig['compositeTools']>[number]['output']>['properties'][string];

interface DescribedProperty {
  /** Description for clients. */
  readonly description: string;
}

/** A value, or a value that may be missing with a fallback. */
type ValueWithFallback<T, L> =
  | { readonly value: Reference<T> | L; readonly default?: never }
  | { readonly value: Reference<T | null | undefined>; readonly default: T };

/** One property of the result of a workflow. */
export type OutputProperty = DescribedProperty &
  (
    | ({ readonly type: 'string' } & ValueWithFallback<string, string | Text>)
    | ({ readonly type: 'integer' | 'number' } & ValueWithFallback<number, number>)
    | ({ readonly type: 'boolean' } & ValueWithFallback<boolean, boolean>)
    | ({ readonly type: 'array' } & ValueWithFallback<readonly unknown[], readonly unknown[]>)
    | ({ readonly type: 'object' } & ValueWithFallback<object, object>)
    | { readonly type: 'object'; readonly properties: OutputProperties }
  );

/** The properties of a result by name. */
export interface OutputProperties {
  readonly [name: string]: OutputProperty;
}

export function renderOutput(properties: OutputProperties): Record<string, PropertySpec> {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, rendered(property)]));
}

function rendered(property: OutputProperty): PropertySpec {
  const { type, description } = property;
  if ('properties' in property)
    return { type, description, properties: renderOutput(property.properties) } as PropertySpec;
  const { value, default: otherwise } = property;
  const fallback = otherwise === undefined ? {} : { default: otherwise as Json };
  return { type, description, value: valueText(type, value, otherwise), ...fallback } as PropertySpec;
}

/** Values of outputs are always strings. */
function valueText(type: OutputProperty['type'], value: unknown, otherwise: unknown): string {
  const isStructured = type === 'array' || type === 'object';
  // A missing list would render as null, which is valid JSON, so the fallback would not apply.
  if (isStructured && otherwise !== undefined && getNode(value)?.type === 'expression') {
    const reference = createReference(requireExpression(value)) as Reference<unknown>;
    return String(argument(Value.withDefault(reference, otherwise as object)));
  }
  const text = argument(value);
  return typeof text === 'string' ? text : templateText([JSON.stringify(text)]);
}
