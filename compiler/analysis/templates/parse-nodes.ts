/** Parses the outermost level of a template: text and actions. */
import type { TemplateBranch, TemplateNode } from '#schemas';
import { parsePipe } from './parse-pipe.ts';
import { SyntaxProblem } from './syntax-error.ts';
import type { Token } from './token.ts';
import { createUnexpectedProblem, type TokenReader } from './token-reader.ts';

/** The whole template. @throws SyntaxProblem */
export function parseTop(reader: TokenReader): readonly TemplateNode[] {
  const { nodes, stop } = parseList(reader);
  if (stop.kind === 'end-of-text') return nodes;
  throw new SyntaxProblem(
    stop.at,
    `{{${stop.text}}} belongs to no if, range or with`,
    'remove it, or add the action that it should belong to',
  );
}

interface List {
  readonly nodes: readonly TemplateNode[];
  /** The consumed `end` or `else` that ends the list, or the end of the text. */
  readonly stop: Token;
}

function parseList(reader: TokenReader): List {
  const nodes: TemplateNode[] = [];
  for (;;) {
    const token = reader.next();
    if (token.kind === 'end-of-text') return { nodes, stop: token };
    if (token.kind === 'text') {
      nodes.push({ kind: 'text', text: token.text });
      continue;
    }
    if (token.kind !== 'open') throw createUnexpectedProblem(token, 'the text');
    const word = reader.peekNonSpace();
    if (word.kind === 'keyword' && (word.text === 'end' || word.text === 'else')) return { nodes, stop: reader.next() };
    nodes.push(parseAction(reader, word));
  }
}

function parseAction(reader: TokenReader, word: Token): TemplateNode {
  if (word.kind !== 'keyword' || word.text === 'nil')
    return { kind: 'action', pipe: parsePipe(reader, 'action', 'close') };
  reader.next();
  switch (word.text) {
    case 'if':
    case 'with':
    case 'range':
      return parseBranch(reader, word, word.text);
    case 'break':
    case 'continue':
      return parseJump(reader, word, word.text);
    default:
      throw new SyntaxProblem(
        word.at,
        `{{${word.text}}} is not supported: a workflow template is one piece`,
        'write its content where it is used',
      );
  }
}

function parseJump(reader: TokenReader, word: Token, kind: 'break' | 'continue'): TemplateNode {
  reader.expectClose(`{{${kind}}}`);
  if (reader.ranges > 0) return { kind };
  throw new SyntaxProblem(word.at, `{{${kind}}} stands outside of every range`, 'remove it');
}

function parseBranch(reader: TokenReader, word: Token, kind: TemplateBranch['kind']): TemplateBranch {
  return reader.nested(word.at, () => {
    const visible = reader.variables.length;
    const pipe = parsePipe(reader, kind, 'close');
    if (kind === 'range') reader.ranges += 1;
    const { nodes: body, stop } = parseList(reader);
    if (kind === 'range') reader.ranges -= 1;
    const otherwise = stop.text === 'else' ? parseElse(reader, kind) : [];
    if (stop.text === 'end') reader.expectClose('{{end}}');
    if (stop.kind === 'end-of-text') throw createUnclosedProblem(word);
    reader.variables.length = visible;
    return { kind, pipe, body, otherwise };
  });
}

function parseElse(reader: TokenReader, kind: TemplateBranch['kind']): readonly TemplateNode[] {
  const word = reader.peekNonSpace();
  // `{{else if}}` is short for `{{else}}{{if}}`, and one `{{end}}` ends both.
  if (word.kind === 'keyword' && kind !== 'range' && word.text === kind) {
    reader.next();
    return [parseBranch(reader, word, kind)];
  }
  reader.expectClose('{{else}}');
  const { nodes, stop } = parseList(reader);
  if (stop.kind === 'end-of-text') throw createUnexpectedProblem(stop, `the {{else}} of a ${kind}`);
  if (stop.text === 'else') {
    throw new SyntaxProblem(stop.at, 'this {{else}} comes after the last one', 'remove it; a condition goes before it');
  }
  reader.expectClose('{{end}}');
  return nodes;
}

function createUnclosedProblem(word: Token): SyntaxProblem {
  return new SyntaxProblem(word.at, `this {{${word.text}}} has no {{end}}`, 'add {{end}} where it ends');
}
