import { carrier, type Expression, getNode, type TextNode } from './expression.ts';

declare const VALUE: unique symbol;

/** A value that is known at run time only. The program cannot read it, only pass it on. */
export interface Reference<out T> {
  /** Never set: it carries the type. */
  readonly [VALUE]: T;
}

/** The first indices of a list, which need no check for presence. */
type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

type FieldRefs<T> = T extends readonly unknown[]
  ? { readonly [I in Digit]: Ref<I extends keyof T ? T[I] : T[number]> } & { readonly [index: number]: Ref<T[number]> }
  : T extends object
    ? { readonly [K in keyof T]-?: Ref<T[K]> }
    : unknown;

/** A field of a value that may be missing may be missing, too. */
type Below<T> = undefined extends T ? Missable<FieldRefs<NonNullable<T>>> : FieldRefs<NonNullable<T>>;
type Missable<F> = { readonly [K in keyof F]: F[K] extends Reference<infer V> ? Ref<V | undefined> : F[K] };

/**
 * A value of a workflow with its fields: `found.output.items[0].title`. A field that the schema does not require may be `undefined`, and needs
 * `Value.withDefault` where a value is required.
 */
export type Ref<T> = Reference<T> &
  (unknown extends T ? unknown : [NonNullable<T>] extends [object] ? Below<T> : unknown);

/** Text with embedded values, created by {@link t}. */
export interface Text {
  /** Never set: only `t` creates texts. */
  readonly [TEXT]: true;
}
declare const TEXT: unique symbol;

/** Values that a text can embed. Lists and objects are printed as JSON. */
export type Printable = string | number | boolean | null | object;

/**
 * Text with embedded values. Braces and other template syntax are taken literally.
 *
 * @example
 * wf.step('search', github.tools.search, { query: t`repo:${wf.input.repo} is:open` });
 */
export function t(
  strings: TemplateStringsArray,
  ...values: readonly (Reference<Printable> | Text | string | number)[]
): Text {
  const parts = strings.flatMap((text, index) => [text, ...(index < values.length ? listParts(values[index]) : [])]);
  return carrier({ type: 'text', parts: parts.filter(part => part !== '') }) as Text;
}

function listParts(value: unknown): readonly (string | Expression)[] {
  const node = getNode(value);
  if (node === undefined) return [String(value)];
  if (node.type === 'expression') return [node];
  if (node.type === 'text') return (node satisfies TextNode).parts;
  throw new TypeError(`a ${node.type === 'template' ? 'template' : 'condition'} cannot stand in a text`);
}

/** An allowed value for a tool's argument: a literal, a value of the workflow, text for a string, and lists and objects of these. */
export type ArgumentValue<T> =
  | T
  | Reference<Exclude<T, undefined>>
  | (string extends T ? Text : never)
  | (T extends readonly (infer E)[]
      ? readonly ArgumentValue<E>[]
      : T extends object
        ? { readonly [K in keyof T]: ArgumentValue<T[K]> }
        : never);
