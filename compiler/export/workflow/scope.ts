/** Finds the values that templates of a workflow read, as the program refers to them. */

import type { ValueKind } from '../../cdk8s/tool.ts';
import { createReference, type Expression, selectField } from '../../cdk8s/workflow/expression.ts';
import { inferKind } from '../../cdk8s/workflow/fields.ts';
import type { Reference } from '../../cdk8s/workflow/reference.ts';
import { type Plain, plain } from '../typescript/code.ts';
import { formatStringLiteral, isIdentifier } from '../typescript/literal.ts';
import { getSubschema, isPlainSchema } from './schema-type.ts';

/** A value that a template reads: its expression in the program, and the reference that the construct renders as a template. */
export interface ScopeValue {
  readonly code: Plain;
  readonly reference: Reference<string>;
  readonly kind: ValueKind;
  readonly schema: unknown;
  /** The id of the step that has the value. */
  readonly step?: string;
}

export interface KnownOutput {
  readonly schema: unknown;
  /** The type that the constructs give to the value. */
  readonly kind: ValueKind | undefined;
}

/** An earlier step. */
export interface KnownStep {
  readonly id: string;
  readonly constant: string;
  /** The output of the step; undefined when the program cannot read it, for example because the step may be skipped. */
  readonly output: KnownOutput | undefined;
}

export interface ExportScope {
  /** The const of the workflow. */
  readonly workflow: string;
  /** The JSON Schema of the workflow's input. */
  readonly input: unknown;
  /** The steps whose values may be read. */
  readonly steps: readonly KnownStep[];
  /** The item of a `forEach` step, with its schema if that is known. */
  readonly item?: { readonly schema: unknown };
}

/** A path that a template reads, such as `['steps', 'search', 'output', 'items', 0]`. */
export type ReadPath = readonly (string | number)[];

const STATUS = { type: 'string', enum: ['completed', 'failed', 'skipped'] };
const INDEX = { type: 'integer' };

/** The value at a path; undefined when the program has no expression or no certain type for it. */
export function findValueAt(scope: ExportScope, path: ReadPath): ScopeValue | undefined {
  const [root, second, third, ...rest] = path;
  if (root === 'params') return findKnownValue(`${scope.workflow}.input`, ['params'], scope.input, path.slice(1));
  if (root === 'steps') {
    const step = scope.steps.find(({ id }) => id === second);
    if (step === undefined) return undefined;
    const base = ['steps', step.id, `${third}`];
    if (third === 'status') return ownValue(step, findKnownValue(`${step.constant}.status`, base, STATUS, rest));
    if (third === 'output' && step.output !== undefined) {
      const { schema, kind } = step.output;
      return ownValue(step, findKnownValue(`${step.constant}.output`, base, schema, rest, kind));
    }
  }
  if (root === 'forEach' && scope.item !== undefined) {
    const inner = path.slice(2);
    if (second === 'index') return findKnownValue('index', ['forEach', 'index'], INDEX, inner, 'count');
    if (second === 'item') return findKnownValue('item', ['forEach', 'item'], scope.item.schema, inner);
  }
  return undefined;
}

function ownValue({ id }: KnownStep, value: ScopeValue | undefined): ScopeValue | undefined {
  return value && { ...value, step: id };
}

function findKnownValue(
  name: string,
  base: readonly string[],
  schema: unknown,
  fields: ReadPath,
  kind: ValueKind | undefined = inferKind(schema),
): ScopeValue | undefined {
  const origin = { workflow: base, steps: [] };
  let expression: Expression = { type: 'expression', base: { type: 'scope', path: base }, fields: [], kind, origin };
  let text = name;
  let at = schema;
  for (const field of fields) {
    // A member `__proto__` is the prototype of the object in a program.
    if (field === '__proto__') return undefined;
    at = getSubschema(at, field);
    expression = selectField(expression, `${field}`);
    text += typeof field === 'string' && isIdentifier(field) ? `.${field}` : formatMember(field);
  }
  if (at === undefined || !isPlainSchema(at) || expression.kind === undefined) return undefined;
  const reference = createReference(expression) as Reference<string>;
  return { code: plain(text), reference, kind: expression.kind, schema: at };
}

function formatMember(field: string | number): string {
  return `[${typeof field === 'number' ? field : formatStringLiteral(field)}]`;
}
