/** Pipelines, commands and operands: everything with a value. */
import { MAX_TEMPLATE_DEPTH, type TemplateCommand, type TemplateOperand, type TemplatePipe } from '#schemas';
import { FUNCTIONS } from './functions/table.ts';
import { refuseSize } from './limits.ts';
import type { EvaluationScope } from './scope.ts';
import { EvaluationError } from './template-error.ts';
import { getTypeName, isMap, isTrue, type TemplateValue } from './value.ts';

/** The value that the previous command of a pipeline gives to the next one; undefined for the first command. */
type PipedValue = { readonly value: TemplateValue } | undefined;

export function evaluatePipe(pipe: TemplatePipe, dot: TemplateValue, scope: EvaluationScope): TemplateValue {
  // The outermost pipeline has no parentheses.
  if (scope.depth > MAX_TEMPLATE_DEPTH)
    throw new EvaluationError('ERR_TEMPLATE_LIMIT', 'the template is nested too deep');
  scope.depth += 1;
  let piped: PipedValue;
  for (const command of pipe.commands) {
    const value = evaluateCommand(command, dot, piped, scope);
    piped = { value: value ?? undefined };
  }
  scope.depth -= 1;
  for (const name of pipe.variables) {
    if (pipe.assigns) scope.assign(name, piped?.value);
    else scope.declare(name, piped?.value);
  }
  return piped?.value;
}

function evaluateCommand(
  { operands, at }: TemplateCommand,
  dot: TemplateValue,
  piped: PipedValue,
  scope: EvaluationScope,
): TemplateValue {
  scope.budget.spend(1);
  scope.at = at;
  const [first, ...rest] = operands;
  if (first === undefined) return undefined;
  const hasArguments = rest.length > 0 || piped !== undefined;
  switch (first.kind) {
    case 'function':
      return callFunction(first.name, rest, dot, piped, scope);
    case 'field':
    case 'chain':
      return evaluateOperand(first, dot, scope, hasArguments);
    case 'variable': {
      const value = evaluateOperand(first, dot, scope, hasArguments);
      if (first.path.length > 0 || !hasArguments) return value;
      break;
    }
    default:
  }
  if (hasArguments)
    throw new EvaluationError('ERR_TEMPLATE_ARGUMENTS', 'arguments follow a value that is not a function');
  if (first.kind === 'nil') throw new EvaluationError('ERR_TEMPLATE_TYPE', 'nil cannot be printed or passed on');
  return evaluateOperand(first, dot, scope, false);
}

function evaluateOperand(
  operand: TemplateOperand,
  dot: TemplateValue,
  scope: EvaluationScope,
  hasArguments: boolean,
): TemplateValue {
  if (operand.kind !== 'pipe') scope.at = operand.at;
  switch (operand.kind) {
    case 'dot':
      return dot;
    case 'nil':
      return undefined;
    case 'bool':
    case 'string':
      return operand.value;
    case 'int':
      return parseInteger(operand.value);
    case 'float':
      return Number(operand.value);
    case 'function':
      return callFunction(operand.name, [], dot, undefined, scope);
    case 'field':
      return readPath(dot, operand.path, hasArguments);
    case 'variable':
      return readPath(scope.read(operand.name), operand.path, hasArguments);
    case 'chain':
      return readPath(evaluateOperand(operand.base, dot, scope, false), operand.path, hasArguments);
    case 'pipe':
      return evaluatePipe(operand, dot, scope);
  }
}

function parseInteger(text: string): bigint {
  const value = BigInt(text);
  if (BigInt.asIntN(64, value) !== value)
    throw new EvaluationError('ERR_TEMPLATE_TYPE', 'the number is too large for an int');
  return value;
}

function readPath(start: TemplateValue, path: readonly string[], hasArguments: boolean): TemplateValue {
  let value = start;
  path.forEach((name, index) => {
    value = readField(value, name, hasArguments && index === path.length - 1);
  });
  return value;
}

function readField(receiver: TemplateValue, name: string, hasArguments: boolean): TemplateValue {
  // As in Go, reading a field of a missing value gives nothing, and reading a field of JSON's null is an error.
  if (receiver === undefined) return undefined;
  if (!isMap(receiver))
    throw new EvaluationError('ERR_TEMPLATE_FIELD', `.${name} is read from a ${getTypeName(receiver)}`);
  if (hasArguments) throw new EvaluationError('ERR_TEMPLATE_ARGUMENTS', `.${name} is a value and takes no arguments`);
  return Object.hasOwn(receiver, name) ? receiver[name] : undefined;
}

function callFunction(
  name: keyof typeof FUNCTIONS,
  operands: readonly TemplateOperand[],
  dot: TemplateValue,
  piped: PipedValue,
  scope: EvaluationScope,
): TemplateValue {
  const { at } = scope;
  const { least, most, text, call } = FUNCTIONS[name];
  const count = operands.length + (piped === undefined ? 0 : 1);
  if (count < least || count > (most ?? count)) {
    const expectedCount = most === least ? String(least) : `at least ${least}`;
    throw new EvaluationError('ERR_TEMPLATE_ARGUMENTS', `${name} takes ${expectedCount} arguments and gets ${count}`);
  }
  const values: TemplateValue[] = [];
  for (const operand of operands) {
    const value = evaluateOperand(operand, dot, scope, false);
    // `and` and `or` do not evaluate further arguments once they are decided.
    if ((name === 'and' || name === 'or') && isTrue(value, scope.budget) === (name === 'or')) return value;
    if (text === 'first' && values.length === 0) refuseNonText(name, value);
    values.push(value);
  }
  if (piped !== undefined) {
    if (text === 'first' && values.length === 0) refuseNonText(name, piped.value);
    values.push(piped.value);
  }
  for (const value of values) if (typeof value === 'string') scope.budget.spendOn(value.length);
  scope.at = at;
  const result = call(values, scope.budget);
  // The text is longest after escaping, so it is checked then; its length in UTF-16 never exceeds its bytes.
  if (typeof result === 'string') refuseSize(result.length);
  return result;
}

function refuseNonText(name: string, value: TemplateValue): void {
  if (typeof value !== 'string') {
    throw new EvaluationError('ERR_TEMPLATE_TYPE', `${name} takes a string first and gets a ${getTypeName(value)}`);
  }
}
