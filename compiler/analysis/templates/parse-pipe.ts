/** Parses commands joined by `|`, and the variables that take their value. */
import type { TemplateCommand, TemplateOperand, TemplatePipe } from '#schemas';
import { getFunction } from './function-name.ts';
import { parseLiteral } from './parse-literal.ts';
import { quoteExcerpt, SyntaxProblem } from './syntax-error.ts';
import type { Token } from './token.ts';
import { createUnexpectedProblem, type TokenReader } from './token-reader.ts';

type Context = 'action' | 'if' | 'with' | 'range' | 'parentheses';

/** Parses a pipe and consumes its end, too. */
export function parsePipe(reader: TokenReader, context: Context, end: 'close' | ')'): TemplatePipe {
  const start = reader.peekNonSpace();
  const { variables, assigns } = parseVariables(reader, context);
  const commands: TemplateCommand[] = [];
  for (;;) {
    const token = reader.peekNonSpace();
    if (token.kind === end) break;
    if (!STARTS_COMMAND.has(token.kind) && token.text !== 'nil')
      throw createUnexpectedProblem(token, formatContext(context));
    const command = parseCommand(reader);
    if (commands.length > 0) refuseValueAsStage(command);
    commands.push(command);
  }
  const at = reader.spanFrom(start.at[0]);
  if (commands.length === 0) {
    throw new SyntaxProblem(at, `a value is missing in ${formatContext(context)}`, 'write one, such as .params.name');
  }
  reader.next();
  return { kind: 'pipe', at, variables, assigns, commands };
}

const STARTS_COMMAND: ReadonlySet<Token['kind']> = new Set([
  'bool',
  'char',
  'dot',
  'field',
  'name',
  'number',
  'raw-string',
  'string',
  'variable',
  '(',
]);

function formatContext(context: Context): string {
  return context === 'action' ? 'an action' : context === 'parentheses' ? 'parentheses' : `the {{${context}}}`;
}

function parseVariables(reader: TokenReader, context: Context): Pick<TemplatePipe, 'variables' | 'assigns'> {
  const variables: string[] = [];
  for (;;) {
    const token = reader.peekNonSpace();
    const sign = reader.peekSecond();
    if (token.kind !== 'variable' || !(sign.kind === ',' || sign.kind === ':=' || sign.kind === '=')) break;
    reader.next();
    reader.peekNonSpace();
    reader.next();
    variables.push(token.text);
    reader.variables.push(token.text);
    if (sign.kind !== ',') return { variables, assigns: sign.kind === '=' };
    if (context !== 'range' || variables.length > 1) {
      const message = context === 'range' ? 'a range takes at most two variables' : 'only a range takes two variables';
      throw new SyntaxProblem(sign.at, message, 'remove the others');
    }
    if (reader.peekNonSpace().kind !== 'variable')
      throw createUnexpectedProblem(reader.peekNonSpace(), 'the variables of a range');
  }
  return { variables, assigns: false };
}

/** Refuses a literal as a stage after the first one: such a stage receives a value, which a literal could not take. */
function refuseValueAsStage({ operands, at }: TemplateCommand): void {
  if (['bool', 'dot', 'nil', 'int', 'float', 'string'].includes(operands[0]?.kind ?? '')) {
    throw new SyntaxProblem(at, 'what follows a | must be a function', 'write a function, or remove the |');
  }
}

function parseCommand(reader: TokenReader): TemplateCommand {
  const start = reader.peekNonSpace().at[0];
  const operands: TemplateOperand[] = [];
  for (;;) {
    reader.peekNonSpace();
    const operand = parseOperand(reader);
    if (operand !== undefined) operands.push(operand);
    const at = reader.spanFrom(start);
    const token = reader.peek();
    if (token.kind === 'space') {
      reader.next();
      continue;
    }
    if (token.kind === '|') reader.next();
    else if (token.kind !== 'close' && token.kind !== ')') throw createUnexpectedProblem(token, 'a command');
    if (operands.length > 0) return { at, operands };
    throw new SyntaxProblem(token.at, 'a command is missing here', 'write one, or remove the |');
  }
}

/** A term and the fields read from it; `undefined` when the next token cannot start one. */
function parseOperand(reader: TokenReader): TemplateOperand | undefined {
  const start = reader.peek();
  const term = parseTerm(reader);
  if (term === undefined || reader.peek().kind !== 'field') return term;
  const path: string[] = [];
  while (reader.peek().kind === 'field') path.push(reader.next().text.slice(1));
  const at = reader.spanFrom(start.at[0]);
  switch (term.kind) {
    case 'field':
    case 'variable':
      return { ...term, at, path: [...term.path, ...path] };
    case 'pipe':
    case 'function':
      return { kind: 'chain', at, base: term, path };
    default:
      throw new SyntaxProblem(at, `"${quoteExcerpt(start.text)}" has no fields`, 'remove what follows it');
  }
}

function parseTerm(reader: TokenReader): TemplateOperand | undefined {
  const token = reader.peek();
  const { at, text } = token;
  const literal = parseLiteral(token);
  if (literal !== undefined) {
    reader.next();
    return literal;
  }
  switch (token.kind) {
    case 'name':
      reader.next();
      return { kind: 'function', at, name: getFunction(token) };
    case 'field':
      reader.next();
      return { kind: 'field', at, path: [text.slice(1)] };
    case 'variable':
      if (!reader.variables.includes(text)) {
        throw new SyntaxProblem(
          at,
          `there is no variable ${quoteExcerpt(text)} here`,
          `declare it before, as in {{${quoteExcerpt(text)} := …}}`,
        );
      }
      reader.next();
      return { kind: 'variable', at, name: text, path: [] };
    case '(':
      reader.next();
      return reader.nested(at, () => parsePipe(reader, 'parentheses', ')'));
    default:
      return undefined;
  }
}
