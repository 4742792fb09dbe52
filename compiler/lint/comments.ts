/** `# lintel-ignore CODE: reason` in YAML, `// lintel-ignore` in programs: where such comments stand, and what they are about. */
import { Lexer } from 'yaml';
import { isProgram } from '../source/is-program.ts';
import type { SourceText } from '../source/source-text.ts';
import { type Comment, commentsInCode } from './code-comments.ts';
import { isMisspelt } from './misspelt-word.ts';
import type { Scope } from './scope.ts';
import type { Directive } from './suppression.ts';

const WORD = 'lintel-ignore';
const COMMENT = new RegExp(`^#+[ \\t]*${WORD}(?![\\w-])([^:]*)(?::(.*))?$`, 's');
/** A comment that may begin with the word in another spelling, and what is behind. */
const LIKE_COMMENT = /#[ \t]*(lintel[ \t:_]\w{4,9}|[\w-]{9,17})(?![\w-])([^\n]*)/gi;
const LIKE_CODE_COMMENT = /\/[/*][ \t]*(lintel[ \t:_]\w{4,9}|[\w-]{9,17})(?![\w-])([^\n]*)/gi;

/** Lines without anything that a comment could be about. */
const EMPTY_LINE = /^(\s*(#.*)?|---\s*(#.*)?|%.*)$/;
const EMPTY_CODE_LINE = /^\s*(\/\/.*|\/?\*.*)?$/;

/**
 * The directives of a text. A comment at the end of a line is about the findings that start on this line. One on a line of
 * its own is about what starts on the next line that holds a key or an item: all of its value, and of the first key of a
 * document the whole document. In a program it is about what the calls on the line lead to as well. Texts without the word, in whatever spelling, are not looked into.
 */
export function commentDirectives(source: SourceText): readonly Directive[] {
  const { file } = source;
  const isCode = isProgram(file);
  const like = isCode ? LIKE_CODE_COMMENT : LIKE_COMMENT;
  if (!source.text.includes(WORD) && ![...source.text.matchAll(like)].some(isMisspeltComment)) return [];
  const targets = new Map<number, number>();
  // From the end: where many of them stand one under the other, each goes by the next one.
  const directives = (isCode ? commentsInCode(source.text) : lexed(source.text))
    .toReversed()
    .flatMap(({ text: written, offset }): readonly Directive[] => {
      const text = isCode ? `#${written.replace(/^\/[/*]+|\s*\*\/$/g, '')}` : written;
      const [match, codes = '', reason = ''] = COMMENT.exec(text) ?? [];
      const misspelt = match === undefined ? misspeltIn(text) : undefined;
      if (match === undefined && misspelt === undefined) return [];
      const range = source.range(offset, offset + written.length);
      const { line } = range.start;
      const isAlone = /^\s*(?:#|\/\/|\/\*(?:[^*]|\*(?!\/))*\*\/\s*$)/.test(source.line(line)?.text ?? '');
      if (isAlone) targets.set(line, nextLine(source, line, targets, isCode ? EMPTY_CODE_LINE : EMPTY_LINE));
      const scope: Scope = isAlone
        ? { type: 'node', file, line: targets.get(line) ?? line }
        : { type: 'line', file, line };
      const names = codes.split(/[\s,]+/).filter(name => name !== '');
      const location = { file, pointer: '', range };
      return [{ by: 'comment', ...(misspelt && { misspelt }), codes: names, reason, place: location, scope }];
    });
  return directives.toReversed();
}

function misspeltIn(comment: string): Directive['misspelt'] {
  const [found] = comment.replace(/^#+/, '#').matchAll(LIKE_COMMENT);
  return found?.index === 0 && isMisspeltComment(found) ? { written: found[1] ?? '', right: WORD } : undefined;
}

function isMisspeltComment([, written = '', behind = '']: RegExpExecArray): boolean {
  return isMisspelt(written.replace(/[ \t:_]/, '-'), WORD, behind);
}

/** A comment, and what it is about. */
export interface PlacedComment extends Comment {
  /** The line that it stands in or, alone on its line, the next one that holds a key or an item; 1-based. */
  readonly about: number;
  readonly isAlone: boolean;
}

/** The comments of a YAML text that are wanted, in their order. */
export function findComments(source: SourceText, isWanted: (text: string) => boolean = () => true): PlacedComment[] {
  const targets = new Map<number, number>();
  // From the end: where many of them stand one under the other, each goes by the next one.
  const comments = lexed(source.text)
    .toReversed()
    .filter(({ text }) => isWanted(text))
    .map(({ text, offset }): PlacedComment => {
      const { line } = source.range(offset, offset).start;
      const isAlone = /^\s*#/.test(source.line(line)?.text ?? '');
      if (isAlone) targets.set(line, nextLine(source, line, targets, EMPTY_LINE));
      return { text, offset, isAlone, about: targets.get(line) ?? line };
    });
  return comments.toReversed();
}

/** The lexer marks what follows as a scalar, in which a `#` starts no comment. It puts such marks between the tokens. */
const SCALAR = '\u001f';
const MARKS: readonly string[] = [SCALAR, '\u0002', '\u0018'];

function lexed(text: string): readonly Comment[] {
  const comments: Comment[] = [];
  let offset = 0;
  let last = '';
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith('#') && last !== SCALAR && text.startsWith(token, offset))
      comments.push({ text: token.trimEnd(), offset });
    if (!MARKS.includes(token)) offset += token.length;
    last = token;
  }
  return comments;
}

/**
 * The next line that is more than a comment or the start of a document; past the last one where there is none.
 *
 * @param known the answers for lines further down
 */
function nextLine(source: SourceText, after: number, known: ReadonlyMap<number, number>, empty: RegExp): number {
  let line = after + 1;
  while (empty.test(source.line(line)?.text ?? 'end')) {
    const target = known.get(line);
    if (target !== undefined) return target;
    line += 1;
  }
  return line;
}
