import type { ArrowCode, CallCode, Code, Item, ListCode, ObjectCode } from './code.ts';
import { memberName } from './literal.ts';

const WIDTH = 120;
const INDENT = '  ';

/**
 * An expression, on one line if it fits.
 *
 * @param indent of the line that it begins in
 * @param before how much of that line is taken
 * @param after what has to fit behind it, such as a semicolon
 */
export function print(code: Code, indent: string, before: number, after = 1): string {
  const flat = flatText(code);
  if (flat !== undefined && before + flat.length + after <= WIDTH) return flat;
  switch (code.type) {
    case 'plain':
      return code.text;
    case 'object':
      return printObject(code, indent);
    case 'list':
      return printList(code, indent);
    case 'call':
      return printCall(code, indent, before, after);
    case 'arrow':
      return printArrow(code, indent, before, after);
  }
}

/** Comments above a line, each on a line of its own. What TypeScript takes for the end of a line must not end the comment. */
export function printComments(comments: readonly string[], indent: string): string {
  return comments
    .map(comment => `//${comment === '' ? '' : ` ${comment.replace(/[\r\u2028\u2029]/g, ' ')}`}`.trimEnd())
    .map(line => `${indent}${line}\n`)
    .join('');
}

/** Undefined for what cannot be on one line. */
function flatText(code: Code): string | undefined {
  switch (code.type) {
    case 'plain':
      return code.text.includes('\n') ? undefined : code.text;
    case 'call': {
      const callee = calleeText(code);
      const parameters = code.arguments.map(flatText);
      const isBroken = callee === undefined || parameters.includes(undefined);
      return isBroken ? undefined : `${callee}(${parameters.join(', ')})`;
    }
    case 'arrow': {
      const result = flatText(code.result);
      return result === undefined ? undefined : `${code.parameter} => ${result}`;
    }
    case 'list': {
      if (isListOfObjects(code)) return undefined;
      const items = code.items.map(flatItem);
      return items.includes(undefined) ? undefined : `[${items.join(', ')}]`;
    }
    case 'object': {
      const members = code.members.map(member => {
        const value = flatItem(member);
        return value === undefined ? undefined : `${memberName(member.key)}: ${value}`;
      });
      if (members.includes(undefined)) return undefined;
      return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
    }
  }
}

function flatItem({ value, comments }: Item): string | undefined {
  return comments.length > 0 ? undefined : flatText(value);
}

/** Several objects of several members are read one below the other. */
function isListOfObjects({ items }: ListCode): boolean {
  return items.length > 1 && items.every(({ value }) => value.type === 'object' && value.members.length > 1);
}

function printObject({ members }: ObjectCode, indent: string): string {
  const inside = `${indent}${INDENT}`;
  const lines = members.map(({ key, value, comments }) => {
    const name = `${memberName(key)}: `;
    return `${printComments(comments, inside)}${inside}${name}${print(value, inside, inside.length + name.length)},\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function printList({ items }: ListCode, indent: string): string {
  const inside = `${indent}${INDENT}`;
  const lines = items.map(
    ({ value, comments }) => `${printComments(comments, inside)}${inside}${print(value, inside, inside.length)},\n`,
  );
  return `[\n${lines.join('')}${indent}]`;
}

function calleeText({ on, callee }: CallCode): string | undefined {
  if (on === undefined) return callee;
  const text = flatText(on);
  return text === undefined ? undefined : `${text}.${callee}`;
}

function printArrow({ parameter, result }: ArrowCode, indent: string, before: number, after: number): string {
  const head = `${parameter} => `;
  return `${head}${print(result, indent, before + head.length, after)}`;
}

/** The last argument stays on the line when it can be broken itself and those before it cannot. */
function printCall(code: CallCode, indent: string, before: number, after: number): string {
  const { on, callee: name, arguments: parameters } = code;
  const callee = calleeText(code) ?? `${on === undefined ? '' : `${print(on, indent, before)}.`}${name}`;
  const first = parameters.slice(0, -1).map(flatText);
  const last = parameters.at(-1);
  const head = `${callee}(${first.map(one => `${one}, `).join('')}`;
  if (last !== undefined && isBreakable(last) && !first.includes(undefined) && before + head.length < WIDTH)
    return `${head}${print(last, indent, before + head.length, after + 1)})`;
  const inside = `${indent}${INDENT}`;
  const lines = parameters.map(one => `${inside}${print(one, inside, inside.length)},\n`);
  return `${callee}(\n${lines.join('')}${indent})`;
}

function isBreakable(code: Code): boolean {
  return (
    code.type === 'object' ||
    code.type === 'list' ||
    code.type === 'arrow' ||
    (code.type === 'plain' && code.text.includes('\n'))
  );
}
