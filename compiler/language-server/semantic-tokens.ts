/** Semantic tokens for code inside of YAML. */
import type { SemanticTokens, SemanticTokensLegend } from 'vscode-languageserver';
import { tokenize as cedarTokens } from '../analysis/cedar/tokens.ts';
import { tokenizeTemplate as templateTokens } from '../analysis/templates/lexer.ts';
import { SyntaxProblem } from '../analysis/templates/syntax-error.ts';
import type { TokenKind } from '../analysis/templates/token.ts';
import { mapScalarOffsets } from '../source/scalar-offsets.ts';
import type { SourceText } from '../source/source-text.ts';
import { type CodeRegion, findCodeRegions } from './code-regions.ts';
import type { EditedProject } from './edited-project.ts';
import { toLspRange } from './positions.ts';

const TYPES = [
  'keyword',
  'variable',
  'string',
  'number',
  'operator',
  'property',
  'function',
  'type',
  'comment',
] as const;

type TokenType = (typeof TYPES)[number];

export const LEGEND: SemanticTokensLegend = { tokenTypes: [...TYPES], tokenModifiers: [] };

interface CodeToken {
  readonly type: TokenType;
  /** The start of the token in the text of the region, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/**
 * The tokens of a file. A folded or escaped text has none, because the positions of its characters are unknown.
 *
 * @see https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#textDocument_semanticTokens
 */
export function computeSemanticTokens(project: EditedProject, source: SourceText): SemanticTokens {
  const tokens = project
    .getCompiled()
    .compilation.objects.filter(({ doc }) => doc.file === source.file)
    .flatMap(document =>
      findCodeRegions(document).flatMap(region => {
        const { start, end } = document.doc.locate(region.path, 'value');
        const offsets = mapScalarOffsets(source.text.slice(start.offset, end.offset), region.text);
        return offsets === undefined ? [] : listPlaces(source, region, at => start.offset + (offsets[at] ?? 0));
      }),
    )
    .sort((a, b) => a.line - b.line || a.character - b.character);
  return { data: encodeTokens(tokens) };
}

interface PlacedToken {
  readonly line: number;
  readonly character: number;
  readonly length: number;
  readonly type: TokenType;
}

/** The tokens of a region, split at line breaks: clients do not accept tokens that span lines. */
function listPlaces(
  source: SourceText,
  { language, text }: CodeRegion,
  offsetAt: (at: number) => number,
): readonly PlacedToken[] {
  return TOKENIZERS[language](text).flatMap(({ type, start, end }) =>
    [...text.slice(start, end).matchAll(/[^\r\n]+/g)].map(({ index, 0: part }) => {
      const [from, to] = [offsetAt(start + index), offsetAt(start + index + part.length)];
      const { line, character } = toLspRange(source, source.range(from, to)).start;
      return { line, character, length: to - from, type };
    }),
  );
}

/** Encodes each token relative to the previous one: lines, characters, length, type, modifiers. */
function encodeTokens(tokens: readonly PlacedToken[]): number[] {
  let [line, character] = [0, 0];
  return tokens.flatMap(token => {
    const further = token.line - line;
    const across = further === 0 ? token.character - character : token.character;
    [line, character] = [token.line, token.character];
    return [further, across, token.length, TYPES.indexOf(token.type), 0];
  });
}

const TOKENIZERS: { readonly [language in CodeRegion['language']]: (text: string) => readonly CodeToken[] } = {
  cedar: text => listWords(text, CEDAR_WORDS),
  cel: text => listCelTokens(text),
  template: text => listTemplateParts(text),
};

type Words = Readonly<Record<string, TokenType>>;

const toWordTypes = (type: TokenType, words: string): Words =>
  Object.fromEntries(words.split(' ').map(word => [word, type]));

const CEDAR_WORDS: Words = {
  ...toWordTypes('keyword', 'permit forbid when unless if then else in like has is true false'),
  ...toWordTypes('variable', 'principal action resource context'),
};

function listWords(text: string, words: Words): readonly CodeToken[] {
  const tokens = [...cedarTokens(text)];
  const found = tokens.map(({ text: word, offset }, at): CodeToken => {
    const [before, after] = [tokens[at - 1]?.text, tokens[at + 1]?.text];
    return { type: chooseType(word, before, after, words), start: offset, end: offset + word.length };
  });
  const ends = [0, ...found.map(({ end }) => end)];
  const comments = ends.flatMap((end, at) =>
    [...text.slice(end, found[at]?.start).matchAll(/\/\/[^\r\n]*/g)].map(
      ({ index, 0: comment }): CodeToken => ({
        type: 'comment',
        start: end + index,
        end: end + index + comment.length,
      }),
    ),
  );
  return [...found, ...comments];
}

function chooseType(word: string, before: string | undefined, after: string | undefined, words: Words): TokenType {
  if (word.startsWith('"')) return 'string';
  if (/^\d/.test(word)) return 'number';
  if (!/^\w/.test(word)) return 'operator';
  if (after === '::') return 'type';
  if (before === '.') return after === '(' ? 'function' : 'property';
  const known = Object.hasOwn(words, word) ? words[word] : undefined;
  return known ?? (after === '(' ? 'function' : 'variable');
}

const CEL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\d[\w.]*|\w+|[=!<>]=|&&|\|\||[^\s\w]/g;
const CEL_WORDS = toWordTypes('keyword', 'in true false null');

function listCelTokens(text: string): readonly CodeToken[] {
  const tokens = [...text.matchAll(CEL)];
  return tokens.map(({ 0: word, index }, at) => {
    const escaped = word.startsWith("'") ? '"' : word;
    const type = word.startsWith('//')
      ? 'comment'
      : chooseType(escaped, tokens[at - 1]?.[0], tokens[at + 1]?.[0], CEL_WORDS);
    return { type, start: index, end: index + word.length };
  });
}

const TEMPLATE_TYPES: { readonly [kind in TokenKind]?: TokenType } = {
  ...{ keyword: 'keyword', bool: 'keyword', open: 'keyword', close: 'keyword' },
  ...{ name: 'function', field: 'property', variable: 'variable', dot: 'variable', number: 'number' },
  ...{ char: 'string', string: 'string', 'raw-string': 'string', '|': 'operator', '=': 'operator', ':=': 'operator' },
};

/** An invalid template has a finding, and no tokens. */
function listTemplateParts(text: string): readonly CodeToken[] {
  try {
    return templateTokens(text).flatMap(({ kind, at: [start, length] }) => {
      const type = TEMPLATE_TYPES[kind];
      return type === undefined ? [] : [{ type, start, end: start + length }];
    });
  } catch (error) {
    if (error instanceof SyntaxProblem) return [];
    throw error;
  }
}
