import { isObject, type JsonValue } from './json.ts';

/** JSON merge patch (RFC 7386): null removes, lists are replaced. */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const result: { [name: string]: JsonValue } = isObject(target)
    ? { ...(target as { [name: string]: JsonValue }) }
    : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else if (value !== undefined) result[name] = mergePatch(result[name], value);
  }
  return result;
}
