import type { TemplateOperand } from '#schemas';
import { readNumber } from './number.ts';
import { quoteExcerpt, SyntaxProblem } from './syntax-error.ts';
import type { Token } from './token.ts';
import { unquote, unquoteCharacter, unquoteRaw } from './unquote.ts';

/** The value of a token; `undefined` when it is not a value. @throws SyntaxProblem */
export function parseLiteral(token: Token): TemplateOperand | undefined {
  const { kind, text, at } = token;
  switch (kind) {
    case 'dot':
      return { kind: 'dot', at };
    case 'keyword':
      return text === 'nil' ? { kind: 'nil', at } : undefined;
    case 'bool':
      return { kind: 'bool', at, value: text === 'true' };
    case 'string': {
      const value = unquote(text);
      if (value !== undefined) return { kind: 'string', at, value };
      throw new SyntaxProblem(
        at,
        'an escape in this text is not one of Go, or gives bytes that are not UTF-8',
        'correct it, or write the text between backquotes, where nothing is an escape',
      );
    }
    case 'raw-string':
      return { kind: 'string', at, value: unquoteRaw(text) };
    case 'char': {
      const value = unquoteCharacter(text);
      if (value !== undefined) return { kind: 'int', at, value: String(value) };
      throw new SyntaxProblem(at, 'single quotes hold exactly one character', 'write text in double quotes');
    }
    case 'number':
      return parseNumber(token);
    default:
      return undefined;
  }
}

function parseNumber({ text, at }: Token): TemplateOperand {
  const number = readNumber(text);
  switch (number.kind) {
    case 'int':
    case 'float':
      return { kind: number.kind, at, value: number.value };
    case 'complex':
      throw new SyntaxProblem(at, 'complex numbers are not supported', 'write a real number');
    case 'too-large':
      throw new SyntaxProblem(
        at,
        `the number ${quoteExcerpt(text)} is too large`,
        'write it with a decimal point, or as text',
      );
    case 'malformed':
      throw new SyntaxProblem(
        at,
        `"${quoteExcerpt(text)}" is not a number`,
        'correct it, or put it in quotes if it is text',
      );
  }
}
