import type { ValueKind } from '../tool.ts';
import { carrier, createReference, type Expression, type Json, requireExpression, selectField } from './expression.ts';
import type { Ref, Reference } from './reference.ts';

/** Operations on workflow values. */
export const Value: {
  /**
   * The value, or a fallback when it or a parent is missing or null.
   *
   * @example
   * Value.withDefault(found.output.next?.page, 1)
   */
  withDefault<T, const D extends Exclude<T, null | undefined>>(value: Reference<T>, otherwise: D): Ref<NonNullable<T>>;
  /**
   * Parses JSON text, such as the output of a tool without an output schema. You state its type.
   *
   * @example
   * Value.fromJson<{ id: number }>(created.output.text).id
   */
  fromJson<T = unknown>(text: Reference<string>): Ref<T>;
  /** The number of items of a list, or of UTF-8 characters of a text. */
  length(value: Reference<readonly unknown[] | string>): Ref<number>;
  /** An item of a list by its index, from 0. If the item does not exist, the step that reads it fails. */
  item<E>(list: Reference<readonly E[]>, index: number): Ref<E>;
  /** The same value with a more precise type than the schema's. */
  as<T>(value: Reference<unknown>): Ref<T>;
  /**
   * A Go template, for what values cannot express, such as `range`. It is used as a whole argument, question, list or result, and you state its
   * type. The compiler checks the fields that it reads; list the steps that it reads from in `after`.
   *
   * @example
   * wf.step('report', chat.tools.post, { text: Value.template('{{range .steps.search.output.items}}{{.title}} {{end}}') }, { after: [found] });
   */
  template<T = string>(text: string): Reference<T>;
} = {
  withDefault: (value, otherwise) => {
    const of = requireExpression(value);
    const base = { type: 'fallback', of, otherwise: otherwise as Json } as const;
    // The value may have two types, so only the template can distinguish them when the workflow runs.
    return made({
      ...of,
      base,
      fields: [],
      kind: findKind(otherwise) === of.kind || typeof of.kind === 'object' ? of.kind : undefined,
    });
  },
  fromJson: text => {
    const of = requireExpression(text);
    return made({ ...of, base: { type: 'parsed', of }, fields: [], kind: undefined });
  },
  length: value => {
    const of = requireExpression(value);
    return made({ ...of, base: { type: 'length', of }, fields: [], kind: 'count' });
  },
  item: (list, index) => {
    if (!Number.isSafeInteger(index) || index < 0) throw new RangeError(`${index} is not the index of an item`);
    return made(selectField(requireExpression(list), String(index)));
  },
  as: value => value as never,
  template: <T>(text: string) => carrier({ type: 'template', text }) as Reference<T>,
};

function findKind(value: unknown): ValueKind | undefined {
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : undefined;
}

function made<T>(expression: Expression): Ref<T> {
  return createReference(expression) as Ref<T>;
}
