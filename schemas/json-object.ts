/** A JSON object whose members are unknown. */
export interface JsonObject {
  readonly [member: string]: unknown;
}

/** Whether a parsed JSON value is an object: not a list and not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member of the object: inherited ones, such as `constructor`, are not data. */
export function getMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
