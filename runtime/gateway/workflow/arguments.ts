/** The arguments of a call, checked without a schema library for presence and type. */

import type { WorkflowPlan } from '#schemas';
import { isObject } from '#schemas';
import type { Envelope } from '../../mcp/envelope.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';

export type WorkflowArguments = Readonly<Record<string, unknown>>;

/** @throws WireError -32602 */
export function readArguments(envelope: Envelope, parameters: WorkflowPlan['parameters']): WorkflowArguments {
  const value = envelope.arguments === undefined ? {} : envelope.valueAt(envelope.arguments);
  if (!isObject(value)) throw new WireError(WIRE_CODE.invalidParams, 'params.arguments must be an object');
  const { required, properties } = parameters;
  for (const name of Array.isArray(required) ? required : []) {
    if (!Object.hasOwn(value, name)) throw new WireError(WIRE_CODE.invalidParams, `the argument "${name}" is required`);
  }
  for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
    if (!Object.hasOwn(value, name) || !isObject(schema)) continue;
    const types = [schema.type].flat().filter(type => typeof type === 'string');
    if (types.length === 0 || types.some(type => isOfType(value[name], type))) continue;
    throw new WireError(WIRE_CODE.invalidParams, `the argument "${name}" must be of type ${types.join(' or ')}`);
  }
  return value;
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
