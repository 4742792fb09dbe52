/**
 * A workflow template as plain data: what the compiler's parser makes of Go's `text/template` and the runtime evaluates.
 * Everything in it survives JSON: numbers stand as text, since JSON knows neither 64-bit integers nor `-0`.
 *
 * @see https://pkg.go.dev/text/template
 */

/** Controls and parentheses within one another; a template that is nested deeper is refused by both rooms. Levels. */
export const MAX_TEMPLATE_DEPTH = 100;

/** Every function that a template can call. */
export const TEMPLATE_FUNCTIONS = [
  'and',
  'call',
  'eq',
  'fromJson',
  'ge',
  'gt',
  'html',
  'index',
  'js',
  'json',
  'le',
  'len',
  'lt',
  'ne',
  'not',
  'or',
  'print',
  'printf',
  'println',
  'quote',
  'slice',
  'urlquery',
] as const;

export type TemplateFunction = (typeof TEMPLATE_FUNCTIONS)[number];

/** Where something stands in the text of the template: offset and length, in UTF-16 code units. */
export type TemplateSpan = readonly [offset: number, length: number];

export interface TemplateTree {
  readonly nodes: readonly TemplateNode[];
}

export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly pipe: TemplatePipe }
  | TemplateBranch
  | { readonly kind: 'break' }
  | { readonly kind: 'continue' };

/** `{{if}}`, `{{with}}` or `{{range}}` up to its `{{end}}`. An `{{else if}}` is an `if` alone in `otherwise`. */
export interface TemplateBranch {
  readonly kind: 'if' | 'with' | 'range';
  readonly pipe: TemplatePipe;
  readonly body: readonly TemplateNode[];
  readonly otherwise: readonly TemplateNode[];
}

/** Commands joined by `|`; as an operand, what stands in parentheses. */
export interface TemplatePipe {
  readonly kind: 'pipe';
  readonly at: TemplateSpan;
  /** The variables before `:=` or `=`, with their `$`; two only in a `range`. */
  readonly variables: readonly string[];
  /** True for `=`: the variables exist already. */
  readonly assigns: boolean;
  readonly commands: readonly TemplateCommand[];
}

/** The first operand is what is evaluated or called; the others are its arguments. */
export interface TemplateCommand {
  readonly at: TemplateSpan;
  readonly operands: readonly TemplateOperand[];
}

export type TemplateOperand =
  | { readonly kind: 'dot'; readonly at: TemplateSpan }
  | { readonly kind: 'nil'; readonly at: TemplateSpan }
  | { readonly kind: 'bool'; readonly at: TemplateSpan; readonly value: boolean }
  | { readonly kind: 'string'; readonly at: TemplateSpan; readonly value: string }
  /** In decimal; may be beyond 64 bits signed, which fails only when it is evaluated, as in Go. */
  | { readonly kind: 'int'; readonly at: TemplateSpan; readonly value: string }
  /** As ECMAScript writes the number, but `-0` keeps its sign. */
  | { readonly kind: 'float'; readonly at: TemplateSpan; readonly value: string }
  | TemplateFunctionName
  /** `.a.b`. */
  | { readonly kind: 'field'; readonly at: TemplateSpan; readonly path: readonly string[] }
  /** `$x.a.b`; the name has its `$`. */
  | {
      readonly kind: 'variable';
      readonly at: TemplateSpan;
      readonly name: string;
      readonly path: readonly string[];
    }
  /** `(…).a.b`, or fields of what a function without arguments gives. */
  | {
      readonly kind: 'chain';
      readonly at: TemplateSpan;
      readonly base: TemplatePipe | TemplateFunctionName;
      readonly path: readonly string[];
    }
  | TemplatePipe;

export interface TemplateFunctionName {
  readonly kind: 'function';
  readonly at: TemplateSpan;
  readonly name: TemplateFunction;
}
