/** The arguments of a call, checked without a schema library for presence and type. */

import type { WorkflowPlan } from '#schemas';
import { isObject } from '#schemas';
import type { Envelope } from '../../mcp/envelope.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';

export type WorkflowArguments = Readonly<Record<string, unknown>>;

/**
 * The arguments of a call with the defaults of the parameters. Reads and checks the arguments of a call.
 * @throws WireError -32602
 */
export function readArguments(envelope: Envelope, parameters: WorkflowPlan['parameters']): WorkflowArguments {
  const value = envelope.arguments === undefined ? {} : envelope.valueAt(envelope.arguments);
  if (!isObject(value)) throw new WireError(WIRE_CODE.invalidParams, 'params.arguments must be an object');
  const { required, types } = getChecks(parameters);
  for (const name of required) {
    if (!Object.hasOwn(value, name)) throw new WireError(WIRE_CODE.invalidParams, `the argument "${name}" is required`);
  }
  for (const [name, accepted] of types) {
    if (!Object.hasOwn(value, name) || accepted.some(type => isOfType(value[name], type))) continue;
    throw new WireError(WIRE_CODE.invalidParams, `the argument "${name}" must be of type ${accepted.join(' or ')}`);
  }
  return value;
}

interface ArgumentChecks {
  readonly required: readonly string[];
  /** The types of each parameter that has any. */
  readonly types: readonly (readonly [name: string, types: readonly string[]])[];
}

const CHECKS = new WeakMap<WorkflowPlan['parameters'], ArgumentChecks>();

/** The checks of a schema, derived once, because short workflows run often. */
function getChecks(parameters: WorkflowPlan['parameters']): ArgumentChecks {
  const known = CHECKS.get(parameters);
  if (known !== undefined) return known;
  const { required, properties } = parameters;
  const types = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) => {
    const listed = isObject(schema) ? [schema.type].flat().filter(type => typeof type === 'string') : [];
    return listed.length === 0 ? [] : [[name, listed] as const];
  });
  const checks = { required: Array.isArray(required) ? required : [], types };
  CHECKS.set(parameters, checks);
  return checks;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'null':
      return value === null;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}
