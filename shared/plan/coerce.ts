/**
 * Converts the text that a template renders into the type that a schema demands. The compiler does it for defaults, the runtime for rendered
 * templates.
 */
import { isObject, type OutputType } from '#schemas';

/**
 * Converts a text; undefined when it is not a value of the type. Numbers and booleans follow Go's `strconv`, without hexadecimal floats. An
 * integer that JavaScript cannot represent exactly is refused, because it would change.
 */
export function coerce(text: string, type: OutputType): unknown {
  switch (type) {
    case 'string':
      return text;
    case 'integer':
      return /^[+-]?[0-9]+$/.test(text) || PRINTED_INTEGER.test(text)
        ? parseNumber(text, Number.isSafeInteger)
        : undefined;
    case 'number':
      return /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)
        ? parseNumber(text, Number.isFinite)
        : undefined;
    case 'boolean':
      return BOOLEANS.get(text);
    case 'object': {
      const value = parseJson(text);
      return isObject(value) ? value : undefined;
    }
    case 'array': {
      const value = parseJson(text);
      return Array.isArray(value) ? value : undefined;
    }
  }
}

/** Converts to the first matching type. A text that matches none stays unchanged, and the tool refuses it. */
export function coerceArgument(text: string, types: readonly string[]): unknown {
  if (types.length === 0 || types.includes('string')) return text;
  for (const type of ORDER) {
    const value = types.includes(type) ? coerce(text, type) : undefined;
    if (value !== undefined) return value;
  }
  return types.includes('null') && text === 'null' ? null : text;
}

/** Integer comes before number, because every integer is also a number. */
const ORDER: readonly OutputType[] = ['integer', 'number', 'boolean', 'object', 'array'];

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map(text => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map(text => [text, false] as const),
]);

/** A JSON number from a million on is printed as `1.2345678e+07`, as in Go. */
const PRINTED_INTEGER = /^-?[1-9](?:\.[0-9]+)?e\+[0-9]{2}$/;

function parseNumber(text: string, isExact: (value: number) => boolean): number | undefined {
  const value = Number(text);
  return isExact(value) ? value : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
