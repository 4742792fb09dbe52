/** Go's `fmt.Sprintf`: a wrong directive is not an error, but appears in the text, such as `%!d(string=x)`. */
import { BoundedText, type Budget } from '../limits.ts';
import { Byte, getTypeName, type TemplateValue } from '../value.ts';
import { type Directive, readDirective } from './directive.ts';
import { createFlags } from './flags.ts';
import { printValue } from './print.ts';

export function printf(format: string, values: readonly TemplateValue[], budget: Budget): string {
  const output = new BoundedText(budget);
  const source = { text: format, integers: values.map(toInteger), lastBracket: format.lastIndexOf(']') };
  let next = 0;
  let reordered = false;
  for (let position = 0; position < format.length; ) {
    const percent = format.indexOf('%', position);
    const end = percent === -1 ? format.length : percent;
    if (end > position) output.add(format.slice(position, end));
    if (percent === -1) break;
    const directive = readDirective(source, percent + 1, next);
    position = directive.end;
    next = directive.argument;
    reordered = directive.reordered || reordered;
    budget.spend(1);
    output.add(directive.complaints);
    if (printDirective(directive, values, output)) next += 1;
  }
  if (!reordered && next < values.length) output.add(formatExtra(values.slice(next), budget));
  return output.text;
}

/** Returns whether it used an argument. */
function printDirective(directive: Directive, values: readonly TemplateValue[], output: BoundedText): boolean {
  const { verb, flags, argument } = directive;
  if (verb === undefined) output.add('%!(NOVERB)');
  else if (verb === '%') output.add('%');
  else if (directive.badIndex) output.add(`%!${verb}(BADINDEX)`);
  else if (argument >= values.length) output.add(`%!${verb}(MISSING)`);
  else {
    // `%+v` and `%#v` are treated as verbs of their own.
    const ownVerb = verb === 'v' || verb === 'w';
    const effective = ownVerb ? { ...flags, goSyntax: flags.sharp, sharp: false, plus: false } : flags;
    printValue(values[argument], verb, effective, output);
    return true;
  }
  return false;
}

function toInteger(value: TemplateValue): bigint | undefined {
  if (value instanceof Byte) return BigInt(value.value);
  return typeof value === 'bigint' ? value : undefined;
}

function formatExtra(values: readonly TemplateValue[], budget: Budget): string {
  const output = new BoundedText(budget);
  output.add('%!(EXTRA ');
  values.forEach((value, position) => {
    if (position > 0) output.add(', ');
    if (value !== undefined && value !== null) output.add(`${getTypeName(value)}=`);
    printValue(value, 'v', createFlags(), output);
  });
  output.add(')');
  return output.text;
}
