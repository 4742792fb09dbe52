import type { ArrowCode, CallCode, Code, CommentedCode, ListCode, ObjectCode, TemplateCode, TextCode } from './code.ts';
import { escapeTemplate, formatMemberName } from './literal.ts';

const WIDTH = 120;
const INDENT = '  ';

/**
 * Prints an expression, on one line if it fits.
 *
 * @param indent the indentation of the first line
 * @param before the number of columns that are used before the expression on its first line
 * @param after the number of columns that are needed behind it, for example for a semicolon
 */
export function print(code: Code, indent: string, before: number, after = 1): string {
  const flat = printFlat(code);
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
    case 'template':
      return printTemplate(code, indent);
    case 'arrow':
      return printArrow(code, indent, before, after);
    case 'text':
      return printText(code);
  }
}

/** Comments above a line, each on a line of its own. Characters that TypeScript treats as line ends must not end a comment. */
export function printComments(comments: readonly string[], indent: string): string {
  return comments
    .map(comment => `//${comment === '' ? '' : ` ${comment.replace(/[\r\n\u2028\u2029]/g, ' ')}`}`.trimEnd())
    .map(line => `${indent}${line}\n`)
    .join('');
}

/** An expression on one line; undefined if it cannot be on one line. */
function printFlat(code: Code): string | undefined {
  switch (code.type) {
    case 'template':
      return undefined;
    case 'plain':
      return code.text.includes('\n') ? undefined : code.text;
    case 'text': {
      const text = printText(code);
      return text.includes('\n') ? undefined : text;
    }
    case 'call': {
      const callee = printCallee(code);
      const parameters = code.arguments.map(printFlat);
      const isBroken = callee === undefined || parameters.includes(undefined);
      return isBroken ? undefined : `${callee}(${parameters.join(', ')})`;
    }
    case 'arrow': {
      const result = printFlat(code.result);
      return result === undefined ? undefined : `${code.parameter} => ${parenthesize(code, result)}`;
    }
    case 'list': {
      if (isListOfObjects(code)) return undefined;
      const items = code.items.map(printFlatItem);
      return items.includes(undefined) ? undefined : `[${items.join(', ')}]`;
    }
    case 'object': {
      const members = code.members.map(member => {
        const value = printFlatItem(member);
        return value === undefined ? undefined : `${formatMemberName(member.key)}: ${value}`;
      });
      if (members.includes(undefined)) return undefined;
      return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
    }
  }
}

/** A text before an embedded value may end in `$`, which must not start another value. */
function printText({ tag, parts }: TextCode): string {
  const texts = parts.map(part => (typeof part === 'string' ? escapeTemplate(part) : `\${${part.text}}`));
  return `${tag}\`${texts.join('')}\``;
}

function printFlatItem({ value, comments }: CommentedCode): string | undefined {
  return comments.length > 0 ? undefined : printFlat(value);
}

/** Whether a list has several objects with several members each: they are written one below the other. */
function isListOfObjects({ items }: ListCode): boolean {
  return items.length > 1 && items.every(({ value }) => value.type === 'object' && value.members.length > 1);
}

function printObject({ members }: ObjectCode, indent: string): string {
  const inside = `${indent}${INDENT}`;
  const lines = members.map(({ key, value, comments }) => {
    const name = `${formatMemberName(key)}: `;
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

function printCallee({ on, callee }: CallCode): string | undefined {
  if (on === undefined) return callee;
  const text = printFlat(on);
  return text === undefined ? undefined : `${text}.${callee}`;
}

function printArrow(code: ArrowCode, indent: string, before: number, after: number): string {
  const head = `${code.parameter} => `;
  return `${head}${parenthesize(code, print(code.result, indent, before + head.length + 1, after + 1))}`;
}

/** Adds parentheses if the result is an object: without them its braces would be a block. */
function parenthesize({ result }: ArrowCode, text: string): string {
  return result.type === 'object' ? `(${text})` : text;
}

function printTemplate({ tag, lines }: TemplateCode, indent: string): string {
  const inside = lines.map(line => `${line === '' ? '' : `${indent}${INDENT}${line}`}\n`);
  return `${tag}\`\n${inside.join('')}${indent}\``;
}

/** A call as text. If only the last argument can be broken into several lines, it begins on the line of the call. */
function printCall(code: CallCode, indent: string, before: number, after: number): string {
  const { on, callee: name, arguments: parameters } = code;
  const callee = printCallee(code) ?? `${on === undefined ? '' : `${print(on, indent, before)}.`}${name}`;
  const first = parameters.slice(0, -1).map(printFlat);
  const last = parameters.at(-1);
  const head = `${callee}(${first.map(value => `${value}, `).join('')}`;
  const isLastAlone = !parameters.slice(0, -1).some(isBreakable);
  if (
    last !== undefined &&
    isLastAlone &&
    isBreakable(last) &&
    !first.includes(undefined) &&
    before + head.length < WIDTH
  )
    return `${head}${print(last, indent, before + head.length, after + 1)})`;
  const inside = `${indent}${INDENT}`;
  const lines = parameters.map(parameter => `${inside}${print(parameter, inside, inside.length)},\n`);
  return `${callee}(\n${lines.join('')}${indent})`;
}

function isBreakable(code: Code): boolean {
  return (
    code.type === 'object' ||
    code.type === 'list' ||
    code.type === 'arrow' ||
    code.type === 'template' ||
    (code.type === 'plain' && code.text.includes('\n'))
  );
}
