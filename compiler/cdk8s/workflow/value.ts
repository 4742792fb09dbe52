import type { ValueKind } from '../tool.ts';
import { carrier, createReference, type Expression, type Json, requireExpression, selectField } from './expression.ts';
import type { Ref, Reference } from './reference.ts';

/** What can be done with values of a workflow. */
export const Value: {
  /**
   * The value, or another one when it, or what it is in, is missing or null.
   *
   * @example
   * Value.withDefault(found.output.next?.page, 1)
   */
  withDefault<T, const D extends Exclude<T, null | undefined>>(value: Reference<T>, otherwise: D): Ref<NonNullable<T>>;
  /**
   * What a text of JSON means, such as the text of a tool without an output schema. Its type is what you say it is.
   *
   * @example
   * Value.fromJson<{ id: number }>(created.output.text).id
   */
  fromJson<T = unknown>(text: Reference<string>): Ref<T>;
  /** How many items a list, or characters of UTF-8 a text has. */
  length(value: Reference<readonly unknown[] | string>): Ref<number>;
  /** An item of a list by its index, from 0. Without it the step fails that asks for it. */
  item<E>(list: Reference<readonly E[]>, index: number): Ref<E>;
  /** The same value with a type that you know better than the schema. */
  as<T>(value: Reference<unknown>): Ref<T>;
  /**
   * A Go template as it is, for what values have no words for, such as `range`. It is a whole argument, question, list or result,
   * its type is what you say it is, and the compiler checks what it reads: name the steps of which it does in `after`.
   *
   * @example
   * wf.step('report', chat.tools.post, { text: Value.template('{{range .steps.search.output.items}}{{.title}} {{end}}') }, { after: [found] });
   */
  template<T = string>(text: string): Reference<T>;
} = {
  withDefault: (value, otherwise) => {
    const of = requireExpression(value);
    const base = { type: 'fallback', of, otherwise: otherwise as Json } as const;
    // Two kinds in one value can only be told apart by the run.
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
