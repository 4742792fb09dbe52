/**
 * Finds suppression comments, `# lintel-ignore CODE: reason` in YAML and `// lintel-ignore` in programs, and the values that they apply to.
 */
import { Lexer } from 'yaml';
import { isProgram } from '../source/is-program.ts';
import type { SourceText } from '../source/source-text.ts';
import { type Comment, listCodeComments } from './code-comments.ts';
import { isMisspelt } from './misspelt-word.ts';
import type { SuppressionScope } from './scope.ts';
import type { Directive } from './suppression.ts';

const WORD = 'lintel-ignore';
const COMMENT = new RegExp(`^#+[ \\t]*${WORD}(?![\\w-])([^:]*)(?::(.*))?$`, 's');
/** A comment that may begin with the word in another spelling, and the text after the word. */
const LIKE_COMMENT = /#[ \t]*(lintel[ \t:_]\w{4,9}|[\w-]{9,17})(?![\w-])([^\n]*)/gi;
const LIKE_CODE_COMMENT = /\/[/*][ \t]*(lintel[ \t:_]\w{4,9}|[\w-]{9,17})(?![\w-])([^\n]*)/gi;

/** Lines that a comment cannot apply to. */
const EMPTY_LINE = /^(\s*(#.*)?|---\s*(#.*)?|%.*)$/;
const EMPTY_CODE_LINE = /^\s*(\/\/.*|\/?\*.*)?$/;

/**
 * The directives of a text. A comment at the end of a line applies to findings that start on this line. A comment on a line of its own applies
 * to the next key or item with its whole value; before the first key of a document it applies to the whole document. In a program it also
 * applies to everything that the calls on the line create. Texts without the word, in any spelling, are not parsed.
 */
export function listCommentDirectives(source: SourceText): readonly Directive[] {
  const { file } = source;
  const isCode = isProgram(file);
  const like = isCode ? LIKE_CODE_COMMENT : LIKE_COMMENT;
  if (!source.text.includes(WORD) && ![...source.text.matchAll(like)].some(isMisspeltComment)) return [];
  const targets = new Map<number, number>();
  // From the end, because each of several consecutive comments depends on the next one.
  const directives = (isCode ? listCodeComments(source.text) : lexComments(source.text))
    .toReversed()
    .flatMap(({ text: word, offset }): readonly Directive[] => {
      const text = isCode ? `#${word.replace(/^\/[/*]+|\s*\*\/$/g, '')}` : word;
      const [match, codes = '', reason = ''] = COMMENT.exec(text) ?? [];
      const misspelt = match === undefined ? findMisspelt(text) : undefined;
      if (match === undefined && misspelt === undefined) return [];
      const range = source.range(offset, offset + word.length);
      const { line } = range.start;
      const isAlone = /^\s*(?:#|\/\/|\/\*(?:[^*]|\*(?!\/))*\*\/\s*$)/.test(source.line(line)?.text ?? '');
      if (isAlone) targets.set(line, findNextLine(source, line, targets, isCode ? EMPTY_CODE_LINE : EMPTY_LINE));
      const scope: SuppressionScope = isAlone
        ? { type: 'node', file, line: targets.get(line) ?? line }
        : { type: 'line', file, line };
      const names = codes.split(/[\s,]+/).filter(name => name !== '');
      const location = { file, pointer: '', range };
      return [{ by: 'comment', ...(misspelt && { misspelt }), codes: names, reason, location, scope }];
    });
  return directives.toReversed();
}

function findMisspelt(comment: string): Directive['misspelt'] {
  const [found] = comment.replace(/^#+/, '#').matchAll(LIKE_COMMENT);
  return found?.index === 0 && isMisspeltComment(found) ? { written: found[1] ?? '', right: WORD } : undefined;
}

function isMisspeltComment([, word = '', behind = '']: RegExpExecArray): boolean {
  return isMisspelt(word.replace(/[ \t:_]/, '-'), WORD, behind);
}

/** A comment and its target. */
export interface PlacedComment extends Comment {
  /** Its own line or, for a comment on a line of its own, the next line with a key or an item; 1-based. */
  readonly about: number;
  readonly isAlone: boolean;
}

/** The matching comments of a YAML text, in order. */
export function findComments(source: SourceText, matches: (text: string) => boolean = () => true): PlacedComment[] {
  const targets = new Map<number, number>();
  // From the end, because each of several consecutive comments depends on the next one.
  const comments = lexComments(source.text)
    .toReversed()
    .filter(({ text }) => matches(text))
    .map(({ text, offset }): PlacedComment => {
      const { line } = source.range(offset, offset).start;
      const isAlone = /^\s*#/.test(source.line(line)?.text ?? '');
      if (isAlone) targets.set(line, findNextLine(source, line, targets, EMPTY_LINE));
      return { text, offset, isAlone, about: targets.get(line) ?? line };
    });
  return comments.toReversed();
}

/** The lexer's marker for a following scalar, in which a `#` starts no comment. */
const SCALAR = '\u001f';
const MARKS: readonly string[] = [SCALAR, '\u0002', '\u0018'];

function lexComments(text: string): readonly Comment[] {
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
 * The next line that is neither a comment nor the start of a document; a number past the last line when there is none.
 * @param known results for later lines
 */
function findNextLine(source: SourceText, after: number, known: ReadonlyMap<number, number>, empty: RegExp): number {
  let line = after + 1;
  while (empty.test(source.line(line)?.text ?? 'end')) {
    const target = known.get(line);
    if (target !== undefined) return target;
    line += 1;
  }
  return line;
}
