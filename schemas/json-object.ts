/** A JSON object of which nothing is known. */
export interface JsonObject {
  readonly [member: string]: unknown;
}

/** Whether a parsed JSON value is an object: neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member that is there itself: what an object inherits, such as `constructor`, is no data. */
export function getMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
