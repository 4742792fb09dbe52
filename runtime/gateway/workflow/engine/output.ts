import type { OutputProperty, WorkflowOutput } from '#schemas';
import { coerce } from '#shared/plan';
import { render, type WorkflowScope } from './scope.ts';
import { describeError, OutputError } from './workflow-error.ts';

/** The text that a template prints for a missing key. */
const NO_VALUE = '<no value>';

/**
 * The output of a workflow.
 * @throws OutputError for a property without a value, and for a required one that is null
 */
export function evaluateOutput(
  { properties, required }: WorkflowOutput,
  scope: WorkflowScope,
): Record<string, unknown> {
  const output = renderValues(properties, scope, '');
  for (const name of required) {
    if ((output[name] ?? null) === null)
      throw new OutputError(`the output "${name}" is required and has no value`, name);
  }
  return output;
}

function renderValues(
  properties: WorkflowOutput['properties'],
  scope: WorkflowScope,
  prefix: string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, computeProperty(property, scope, `${prefix}${name}`)]),
  );
}

function computeProperty(
  { type, from, default: fallback }: OutputProperty,
  scope: WorkflowScope,
  name: string,
): unknown {
  if ('properties' in from) return renderValues(from.properties, scope, `${name}.`);
  let problem: string;
  try {
    const text = render(from.template, scope, `the output "${name}"`);
    const value = text === NO_VALUE ? undefined : coerce(text, type);
    if (value !== undefined) return value;
    problem = `the output "${name}" renders ${text === NO_VALUE ? 'no value' : `no ${type}`}`;
  } catch (error) {
    problem = describeError(error);
  }
  if (fallback === undefined) throw new OutputError(problem, name);
  // If the property is a text, its default `5` becomes "5", because clients validate the type of the output.
  const isWritten = typeof fallback === 'string' || (type === 'string' && typeof fallback !== 'object');
  const value = isWritten ? coerce(String(fallback), type) : fallback;
  if (value === undefined) throw new OutputError(`${problem}, and its default is not of type ${type} either`, name);
  return value;
}
