/** `json` and `fromJson`, with the behavior of Go's `encoding/json`. */
import { sortKeys } from '../byte-text.ts';
import { BoundedText, type Budget, refuseDepth } from '../limits.ts';
import { EvaluationError } from '../template-error.ts';
import { Byte, isList, type TemplateValue } from '../value.ts';

export function toJson(value: TemplateValue, budget: Budget): string {
  const output = new BoundedText(budget);
  write(value, output, 0);
  return output.text;
}

function write(value: TemplateValue, output: BoundedText, depth: number): void {
  refuseDepth(depth);
  if (value === undefined || value === null) output.add('null');
  else if (typeof value === 'string') output.add(formatTextLiteral(value));
  else if (typeof value === 'number') output.add(formatNumberLiteral(value));
  else if (value instanceof Byte) output.add(String(value.value));
  else if (typeof value !== 'object') output.add(String(value));
  else if (isList(value)) {
    output.add('[');
    value.forEach((item, position) => {
      if (position > 0) output.add(',');
      write(item, output, depth + 1);
    });
    output.add(']');
  } else {
    output.add('{');
    sortKeys(value).forEach((key, position) => {
      output.add(`${position > 0 ? ',' : ''}${formatTextLiteral(key)}:`);
      write(value[key], output, depth + 1);
    });
    output.add('}');
  }
}

/** Go escapes characters that would end a script element or a line of JavaScript, and replaces invalid bytes. */
function formatTextLiteral(text: string): string {
  const parts = text.split(/[\ud800-\udfff]/u).map(part => JSON.stringify(part).slice(1, -1));
  const escapedText = parts.join('\\ufffd').replace(/[<>&\u2028\u2029]/g, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${escapedText}"`;
}

function formatNumberLiteral(value: number): string {
  if (!Number.isFinite(value)) throw new EvaluationError('ERR_TEMPLATE_JSON', 'JSON cannot hold this number');
  return Object.is(value, -0) ? '-0' : String(value);
}

export function fromJson(text: string): TemplateValue {
  let value: unknown;
  try {
    value = JSON.parse(text.toWellFormed(), checkValue);
  } catch (error) {
    if (error instanceof EvaluationError) throw error;
    throw new EvaluationError('ERR_TEMPLATE_JSON', 'fromJson gets text that is not JSON');
  }
  return value as TemplateValue;
}

/** Refuses a number beyond `float64`, which is an error in Go and infinity in JavaScript. */
function checkValue(_key: string, value: unknown): unknown {
  if (typeof value === 'number') formatNumberLiteral(value);
  return value;
}
