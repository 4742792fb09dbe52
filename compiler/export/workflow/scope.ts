/** The values that a template of a workflow reads, as the program has them. */

import type { ValueKind } from '../../cdk8s/tool.ts';
import { createReference, type Expression, selectField } from '../../cdk8s/workflow/expression.ts';
import { inferKind } from '../../cdk8s/workflow/fields.ts';
import type { Reference } from '../../cdk8s/workflow/reference.ts';
import { type Plain, plain } from '../typescript/code.ts';
import { isIdentifier, stringLiteral } from '../typescript/literal.ts';
import { below, isPlainSchema } from './schema-type.ts';

/** A value by its name in the program, and as the library renders it. */
export interface Value {
  readonly code: Plain;
  readonly reference: Reference<string>;
  readonly kind: ValueKind;
  readonly schema: unknown;
  /** The step whose value it is. */
  readonly step?: string;
}

export interface KnownOutput {
  readonly schema: unknown;
  /** As the library has it. */
  readonly kind: ValueKind | undefined;
}

/** A step that stands above. */
export interface KnownStep {
  readonly id: string;
  readonly constant: string;
  /** Undefined where the program cannot read it. */
  readonly output: KnownOutput | undefined;
}

export interface Scope {
  /** Const of the workflow. */
  readonly workflow: string;
  /** JSON Schema of the input. */
  readonly input: unknown;
  /** Those that may be read. */
  readonly steps: readonly KnownStep[];
  /** Inside of a forEach, of whose items the schema is known or not. */
  readonly item?: { readonly schema: unknown };
}

/** Where a template reads, such as `['steps', 'search', 'output', 'items', 0]`. */
export type ReadPath = readonly (string | number)[];

const STATUS = { type: 'string', enum: ['completed', 'failed', 'skipped'] };
const INDEX = { type: 'integer' };

/** What a path leads to; undefined for what the program has no name or no certain type for. */
export function valueAt(scope: Scope, path: ReadPath): Value | undefined {
  const [root, second, third, ...rest] = path;
  if (root === 'params') return knownValue(`${scope.workflow}.input`, ['params'], scope.input, path.slice(1));
  if (root === 'steps') {
    const step = scope.steps.find(({ id }) => id === second);
    if (step === undefined) return undefined;
    const base = ['steps', step.id, `${third}`];
    if (third === 'status') return owned(step, knownValue(`${step.constant}.status`, base, STATUS, rest));
    if (third === 'output' && step.output !== undefined) {
      const { schema, kind } = step.output;
      return owned(step, knownValue(`${step.constant}.output`, base, schema, rest, kind));
    }
  }
  if (root === 'forEach' && scope.item !== undefined) {
    const inner = path.slice(2);
    if (second === 'index') return knownValue('index', ['forEach', 'index'], INDEX, inner, 'count');
    if (second === 'item') return knownValue('item', ['forEach', 'item'], scope.item.schema, inner);
  }
  return undefined;
}

function owned({ id }: KnownStep, value: Value | undefined): Value | undefined {
  return value && { ...value, step: id };
}

function knownValue(
  name: string,
  base: readonly string[],
  schema: unknown,
  fields: ReadPath,
  kind: ValueKind | undefined = inferKind(schema),
): Value | undefined {
  const origin = { workflow: base, steps: [] };
  let expression: Expression = { type: 'expression', base: { type: 'scope', path: base }, fields: [], kind, origin };
  let text = name;
  let at = schema;
  for (const field of fields) {
    // It has a meaning of its own in programs.
    if (field === '__proto__') return undefined;
    at = below(at, field);
    expression = selectField(expression, `${field}`);
    text += typeof field === 'string' && isIdentifier(field) ? `.${field}` : memberText(field);
  }
  if (at === undefined || !isPlainSchema(at) || expression.kind === undefined) return undefined;
  const reference = createReference(expression) as Reference<string>;
  return { code: plain(text), reference, kind: expression.kind, schema: at };
}

function memberText(field: string | number): string {
  return `[${typeof field === 'number' ? field : stringLiteral(field)}]`;
}
