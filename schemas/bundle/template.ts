/**
 * A workflow template as plain data: the compiler parses Go's `text/template` into it, and the runtime evaluates it. Everything in it survives
 * JSON: numbers are text, since JSON has neither 64-bit integers nor `-0`.
 *
 * @see https://pkg.go.dev/text/template
 */

/** Deepest nesting of control structures and parentheses, in levels; both rooms refuse a template that is nested deeper. */
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

/** A position in the text of the template: offset and length, in UTF-16 code units. */
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

/** `{{if}}`, `{{with}}` or `{{range}}` up to its `{{end}}`. For an `{{else if}}`, `otherwise` contains only that `if`. */
export interface TemplateBranch {
  readonly kind: 'if' | 'with' | 'range';
  readonly pipe: TemplatePipe;
  readonly body: readonly TemplateNode[];
  readonly otherwise: readonly TemplateNode[];
}

/** Commands joined by `|`; as an operand, a pipe in parentheses. */
export interface TemplatePipe {
  readonly kind: 'pipe';
  readonly at: TemplateSpan;
  /** The variables before `:=` or `=`, with their `$`; only a `range` has two. */
  readonly variables: readonly string[];
  /** True for `=`, which needs existing variables. */
  readonly assigns: boolean;
  readonly commands: readonly TemplateCommand[];
}

/** The first operand is evaluated or called; the others are its arguments. */
export interface TemplateCommand {
  readonly at: TemplateSpan;
  readonly operands: readonly TemplateOperand[];
}

export type TemplateOperand =
  | { readonly kind: 'dot'; readonly at: TemplateSpan }
  | { readonly kind: 'nil'; readonly at: TemplateSpan }
  | { readonly kind: 'bool'; readonly at: TemplateSpan; readonly value: boolean }
  | { readonly kind: 'string'; readonly at: TemplateSpan; readonly value: string }
  /** An integer in decimal. It may exceed 64 bits, which fails only on evaluation, as in Go. */
  | { readonly kind: 'int'; readonly at: TemplateSpan; readonly value: string }
  /** A number in the form in which ECMAScript prints it, but with the sign of `-0`. */
  | { readonly kind: 'float'; readonly at: TemplateSpan; readonly value: string }
  | TemplateFunctionName
  /** A field such as `.a.b`. */
  | { readonly kind: 'field'; readonly at: TemplateSpan; readonly path: readonly string[] }
  /** A variable such as `$x.a.b`; its name includes the `$`. */
  | {
      readonly kind: 'variable';
      readonly at: TemplateSpan;
      readonly name: string;
      readonly path: readonly string[];
    }
  /** `(…).a.b`, or fields of the result of a function without arguments. */
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
