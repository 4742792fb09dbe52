/** Converts Go templates to values of the program. A template is converted only if the library renders the result to exactly the same text. */
import type { TemplateNode, TemplateOperand, TemplatePipe } from '#schemas';
import { parseTemplate } from '../../analysis/templates/index.ts';
import { Condition, conditionText, type When } from '../../cdk8s/workflow/condition.ts';
import { type Reference, type Text, t } from '../../cdk8s/workflow/reference.ts';
import { argument } from '../../cdk8s/workflow/template/argument.ts';
import { type Code, call, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import { readEnum } from './schema-type.ts';
import { type ExportScope, findValueAt, type ReadPath, type ScopeValue } from './scope.ts';

/** A value in the program that replaces a template. */
export interface EmittedValue {
  readonly code: Code;
  /** What the construct renders as a template: text, a reference, or both. */
  readonly node: Text | Reference<string> | string;
  /** Ids of the steps that the value reads. */
  readonly steps: readonly string[];
  /** Only set if the template is a single value without text around it. */
  readonly value?: ScopeValue;
}

/** A text with embedded values, or a single value. Undefined for a template that cannot be converted. */
export function emitTemplate(text: string, scope: ExportScope): EmittedValue | undefined {
  const parsed = parseTemplate(text);
  if ('errors' in parsed) return undefined;
  const parts = parsed.tree.nodes.map(node => buildPart(node, scope));
  if (parts.includes(undefined)) return undefined;
  const emitted = emitParts(mergeTexts(parts as (string | ScopeValue)[]));
  return isRenderedAs(() => argument(emitted.node), text) ? emitted : undefined;
}

/** The value of the list that a `forEach` step iterates over. Undefined for a template that cannot be converted. */
export function emitList(text: string, scope: ExportScope): EmittedValue | undefined {
  const emitted = emitTemplate(text, scope);
  return emitted?.value !== undefined && Array.isArray(emitted.value.kind) ? emitted : undefined;
}

function buildPart(node: TemplateNode, scope: ExportScope): string | ScopeValue | undefined {
  if (node.kind === 'text') return node.text;
  if (node.kind !== 'action') return undefined;
  const operands = findOperands(node.pipe);
  const [first, second, ...others] = operands ?? [];
  if (first?.kind === 'string' && second === undefined) return first.value;
  const isJson = first?.kind === 'function' && first.name === 'json' && second !== undefined && others.length === 0;
  const path = isJson ? findPath(second) : findPathOfOperands(operands);
  return path && findValueAt(scope, path);
}

function emitParts(parts: readonly (string | ScopeValue)[]): EmittedValue {
  const [only, ...others] = parts;
  if (others.length === 0 && typeof only === 'object')
    return { code: only.code, node: only.reference, steps: listSteps([only]), value: only };
  if (others.length === 0) {
    const text = typeof only === 'string' ? only : '';
    return { code: plain(formatStringLiteral(text)), node: text, steps: [] };
  }
  const values = parts.filter(part => typeof part !== 'string');
  const codes = parts.map(part => (typeof part === 'string' ? part : part.code));
  return { code: { type: 'text', tag: 't', parts: codes }, node: buildText(parts), steps: listSteps(values) };
}

function listSteps(values: readonly ScopeValue[]): readonly string[] {
  return values.flatMap(({ step }) => step ?? []);
}

function buildText(parts: readonly (string | ScopeValue)[]): Text {
  const strings = [''];
  const values: Reference<string>[] = [];
  for (const part of parts) {
    if (typeof part === 'string') strings[strings.length - 1] += part;
    else {
      values.push(part.reference);
      strings.push('');
    }
  }
  return t(Object.assign(strings, { raw: strings }), ...values);
}

function mergeTexts(parts: readonly (string | ScopeValue)[]): readonly (string | ScopeValue)[] {
  const all: (string | ScopeValue)[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (typeof part === 'string' && typeof last === 'string') all[all.length - 1] = last + part;
    else all.push(part);
  }
  return all;
}

/** Whether the construct renders the value as exactly the same text. Rendering throws for values that the constructs do not support. */
function isRenderedAs(render: () => unknown, text: string): boolean {
  try {
    return render() === text;
  } catch {
    return false;
  }
}

/** The operands of a pipe with one command. */
function findOperands({ variables, commands }: TemplatePipe): readonly TemplateOperand[] | undefined {
  return variables.length === 0 && commands.length === 1 ? commands[0]?.operands : undefined;
}

/** The path of an operand such as `.a.b` or `(index .a 0).b`. */
function findPath(operand: TemplateOperand | undefined): ReadPath | undefined {
  switch (operand?.kind) {
    case 'field':
      return operand.path;
    case 'pipe':
      return findPathOfOperands(findOperands(operand));
    case 'chain': {
      const base = operand.base.kind === 'pipe' ? findPath(operand.base) : undefined;
      return base && [...base, ...operand.path];
    }
    default:
      return undefined;
  }
}

/** The path of a command's operands: a single operand as above, or `index .a 0`. */
function findPathOfOperands(operands: readonly TemplateOperand[] = []): ReadPath | undefined {
  const [first, second, ...keys] = operands;
  if (second === undefined) return findPath(first);
  const [key] = keys;
  if (first?.kind !== 'function' || first.name !== 'index' || key === undefined || keys.length > 1) return undefined;
  const base = findPath(second);
  if (key.kind !== 'string' && key.kind !== 'int') return undefined;
  return base && [...base, key.kind === 'int' ? Number(key.value) : key.value];
}

interface EmittedCondition {
  readonly code: Code;
  readonly condition: When;
  readonly steps: readonly string[];
}

/** A condition of a step. Undefined for a template that cannot be converted. */
export function emitCondition(text: string, scope: ExportScope): Omit<EmittedCondition, 'condition'> | undefined {
  const parsed = parseTemplate(text);
  const [node, ...others] = 'tree' in parsed ? parsed.tree.nodes : [];
  if (node?.kind !== 'action' || others.length > 0) return undefined;
  const emitted = findCondition(findOperands(node.pipe), scope);
  return emitted !== undefined && isRenderedAs(() => conditionText(emitted.condition), text) ? emitted : undefined;
}

const COMPARISONS = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const;

function findCondition(
  operands: readonly TemplateOperand[] | undefined,
  scope: ExportScope,
): EmittedCondition | undefined {
  const [first, ...others] = operands ?? [];
  if (first === undefined) return undefined;
  if (first.kind !== 'function' || first.name === 'index') return emitTruth(findPathOfOperands(operands), scope);
  const { name } = first;
  const comparison = COMPARISONS.find(value => value === name);
  if (comparison !== undefined) return findComparison(comparison, others, scope);
  const parts = others.map(operand =>
    operand.kind === 'pipe' ? findCondition(findOperands(operand), scope) : emitTruth(findPath(operand), scope),
  );
  const [head, ...tail] = parts.filter(part => part !== undefined);
  if (head === undefined || tail.length + 1 < parts.length) return undefined;
  const conditions = [head.condition, ...tail.map(({ condition }) => condition)] as const;
  const steps = [head, ...tail].flatMap(part => part.steps);
  const code = call(`Condition.${name}`, head.code, ...tail.map(part => part.code));
  if (name === 'and' || name === 'or') return { code, condition: Condition[name](...conditions), steps };
  return name === 'not' && tail.length === 0 ? { code, condition: Condition.not(head.condition), steps } : undefined;
}

function emitTruth(path: ReadPath | undefined, scope: ExportScope): EmittedCondition | undefined {
  const value = path && findValueAt(scope, path);
  if (value?.kind !== 'boolean' || readEnum(value.schema) !== undefined) return undefined;
  return { code: value.code, condition: value.reference as Reference<unknown> as When, steps: listSteps([value]) };
}

function findComparison(
  name: (typeof COMPARISONS)[number],
  [left, right, ...others]: readonly TemplateOperand[],
  scope: ExportScope,
): EmittedCondition | undefined {
  const path = findPath(left);
  const value = path && findValueAt(scope, path);
  const literal = findLiteral(right);
  if (value === undefined || literal === undefined || others.length > 0 || typeof literal !== value.kind)
    return undefined;
  const choices = readEnum(value.schema);
  if (choices !== undefined && !choices.includes(literal)) return undefined;
  const isOrdered = name !== 'eq' && name !== 'ne';
  if (isOrdered && (typeof literal === 'boolean' || choices !== undefined)) return undefined;
  const compare = Condition[name] as (value: Reference<string>, other: unknown) => Condition;
  const text = typeof literal === 'string' ? formatStringLiteral(literal) : `${literal}`;
  return {
    code: call(`Condition.${name}`, value.code, plain(text)),
    condition: compare(value.reference, literal),
    steps: listSteps([value]),
  };
}

function findLiteral(operand: TemplateOperand | undefined): string | number | boolean | undefined {
  switch (operand?.kind) {
    case 'string':
    case 'bool':
      return operand.value;
    case 'float':
      return Number(operand.value);
    default:
      return undefined;
  }
}
