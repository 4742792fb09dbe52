/**
 * From the text that a template renders to the value that a schema asks for. The compiler asks this of defaults, and the runtime of what
 * templates render.
 */
import { isObject } from '../json-object.ts';
import type { OutputType } from './workflow.ts';

/**
 * Undefined when the text is no value of the type. Numbers and booleans as Go's `strconv` reads them, but for hexadecimal floats; what
 * JavaScript cannot hold to the last digit is no integer: it would become another one.
 */
export function coerce(text: string, type: OutputType): unknown {
  switch (type) {
    case 'string':
      return text;
    case 'integer':
      return /^[+-]?[0-9]+$/.test(text) || PRINTED_INTEGER.test(text)
        ? numberIn(text, Number.isSafeInteger)
        : undefined;
    case 'number':
      return /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)
        ? numberIn(text, Number.isFinite)
        : undefined;
    case 'boolean':
      return BOOLEANS.get(text);
    case 'object': {
      const value = parsed(text);
      return isObject(value) ? value : undefined;
    }
    case 'array': {
      const value = parsed(text);
      return Array.isArray(value) ? value : undefined;
    }
  }
}

/** As the first type that it fits; a text that fits none stays as it is, for the tool to refuse. */
export function coerceArgument(text: string, types: readonly string[]): unknown {
  if (types.length === 0 || types.includes('string')) return text;
  for (const type of ORDER) {
    const value = types.includes(type) ? coerce(text, type) : undefined;
    if (value !== undefined) return value;
  }
  return types.includes('null') && text === 'null' ? null : text;
}

/** An integer is a number too. */
const ORDER: readonly OutputType[] = ['integer', 'number', 'boolean', 'object', 'array'];

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map(text => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map(text => [text, false] as const),
]);

/** Numbers of JSON are printed as `1.2345678e+07` from a million on, as Go prints them. */
const PRINTED_INTEGER = /^-?[1-9](?:\.[0-9]+)?e\+[0-9]{2}$/;

function numberIn(text: string, isExact: (value: number) => boolean): number | undefined {
  const value = Number(text);
  return isExact(value) ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
