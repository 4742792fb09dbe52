/** Formats one value with one verb, and `print`, which uses `%v` for all values. */
import { sortKeys } from '../byte-text.ts';
import { BoundedText, type Budget, refuseDepth } from '../limits.ts';
import { type Byte, getTypeName, isList, isMap, type TemplateValue } from '../value.ts';
import { createFlags, type Flags, pad, truncate } from './flags.ts';
import { formatFloat } from './float.ts';
import { formatInteger } from './integer.ts';
import { formatText } from './text-verbs.ts';

/** `fmt.Sprint`: a space between two values if neither is a string. */
export function printAll(values: readonly TemplateValue[], budget: Budget): string {
  const output = new BoundedText(budget);
  let before: TemplateValue = '';
  for (const value of values) {
    if (typeof value !== 'string' && typeof before !== 'string') output.add(' ');
    printValue(value, 'v', createFlags(), output);
    before = value;
  }
  return output.text;
}

/** `fmt.Sprintln`: a space between all values and a newline after them. */
export function printLine(values: readonly TemplateValue[], budget: Budget): string {
  const output = new BoundedText(budget);
  values.forEach((value, position) => {
    if (position > 0) output.add(' ');
    printValue(value, 'v', createFlags(), output);
  });
  output.add('\n');
  return output.text;
}

export function printValue(value: TemplateValue, verb: string, flags: Flags, output: BoundedText): void {
  if (value === undefined || value === null) {
    output.add(verb === 'v' || verb === 'T' ? pad('<nil>', flags) : `%!${verb}(<nil>)`);
  } else if (verb === 'T') output.add(pad(truncate(getTypeName(value), flags), flags));
  // Go's output for these depends on the machine, or reports a wrong verb.
  else if (verb === 'p' || verb === 'w') printWrongVerb(value, verb, flags, output, 0);
  else printPart(value, verb, flags, output, 0);
}

function printPart(value: TemplateValue, verb: string, flags: Flags, output: BoundedText, depth: number): void {
  refuseDepth(depth);
  if (value === undefined || value === null) output.add(flags.goSyntax ? 'interface {}(nil)' : '<nil>');
  else if (isList(value)) printList(value, verb, flags, output, depth);
  else if (isMap(value)) printMap(value, verb, flags, output, depth);
  else {
    const text = formatScalar(value, verb, flags);
    if (text === undefined) printWrongVerb(value, verb, flags, output, depth);
    else output.add(text);
  }
}

function formatScalar(
  value: boolean | string | number | bigint | Byte,
  verb: string,
  flags: Flags,
): string | undefined {
  if (typeof value === 'string') return formatText(value, verb, flags);
  if (typeof value === 'number') return formatFloat(value, verb, flags);
  if (typeof value === 'bigint') return formatInteger(value, verb, flags);
  if (typeof value === 'boolean') return verb === 'v' || verb === 't' ? pad(String(value), flags) : undefined;
  const asHex = flags.goSyntax && verb === 'v';
  return formatInteger(BigInt(value.value), asHex ? 'x' : verb, asHex ? { ...flags, sharp: true } : flags);
}

function printList(
  list: readonly TemplateValue[],
  verb: string,
  flags: Flags,
  output: BoundedText,
  depth: number,
): void {
  output.add(flags.goSyntax ? `${getTypeName(list)}{` : '[');
  list.forEach((item, position) => {
    if (position > 0) output.add(flags.goSyntax ? ', ' : ' ');
    printPart(item, verb, flags, output, depth + 1);
  });
  output.add(flags.goSyntax ? '}' : ']');
}

function printMap(
  map: { readonly [key: string]: TemplateValue },
  verb: string,
  flags: Flags,
  output: BoundedText,
  depth: number,
): void {
  output.add(flags.goSyntax ? `${getTypeName(map)}{` : 'map[');
  sortKeys(map).forEach((key, position) => {
    if (position > 0) output.add(flags.goSyntax ? ', ' : ' ');
    printPart(key, verb, flags, output, depth + 1);
    output.add(':');
    printPart(map[key], verb, flags, output, depth + 1);
  });
  output.add(flags.goSyntax ? '}' : ']');
}

function printWrongVerb(value: TemplateValue, verb: string, flags: Flags, output: BoundedText, depth: number): void {
  output.add(`%!${verb}(${getTypeName(value)}=`);
  printPart(value, 'v', flags, output, depth);
  output.add(')');
}
