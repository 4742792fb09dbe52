/** `# lintel-ignore CODE: reason` in YAML: where such comments stand, and what they are about. */
import { Lexer } from 'yaml';
import type { Diagnostic, Place } from '../diagnostics/diagnostic.ts';
import type { SourceDocument } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';
import type { Directive } from './suppression.ts';

const WORD = 'lintel-ignore';
const COMMENT = new RegExp(`^#+[ \\t]*${WORD}(?![\\w-])([^:]*)(?::(.*))?$`, 's');

/** Gives the documents that a finding may be about. */
export type DocumentsOf = (found: Diagnostic) => readonly SourceDocument[];

/**
 * The directives of a text. A comment at the end of a line is about the findings that start on this line. One on a line of
 * its own is about what starts on the next line that holds a key or an item: all of its value, and of the first key of a
 * document the whole document. Texts without the word are not looked into.
 */
export function commentDirectives(source: SourceText, documentsOf: DocumentsOf): readonly Directive[] {
  if (!source.text.includes(WORD)) return [];
  return commentsIn(source.text).flatMap(({ text, offset }) => {
    const [match, codes = '', reason = ''] = COMMENT.exec(text) ?? [];
    if (match === undefined) return [];
    const range = source.range(offset, offset + text.length);
    const place: Place = { file: source.file, pointer: '', range };
    const { line } = range.start;
    const isAlone = /^\s*#/.test(source.line(line)?.text ?? '');
    const covers = isAlone ? startsOn(nextLine(source, line), documentsOf) : onLine(line);
    const names = codes.split(/[\s,]+/).filter(name => name !== '');
    return [
      {
        by: 'comment' as const,
        codes: names,
        reason,
        place,
        covers: (found: Diagnostic) => found.file === source.file && covers(found),
      },
    ];
  });
}

interface Comment {
  readonly text: string;
  /** In UTF-16 code units. */
  readonly offset: number;
}

/** The lexer marks what follows as a scalar, in which a `#` starts no comment. It puts such marks between the tokens. */
const SCALAR = '\u001f';
const MARKS: readonly string[] = [SCALAR, '\u0002', '\u0018'];

function commentsIn(text: string): readonly Comment[] {
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

/** The next line that is more than a comment or the start of a document; past the last one where there is none. */
function nextLine(source: SourceText, after: number): number {
  let line = after + 1;
  while (/^(\s*(#.*)?|---\s*(#.*)?|%.*)$/.test(source.line(line)?.text ?? 'end')) line += 1;
  return line;
}

function onLine(line: number): (found: Diagnostic) => boolean {
  return ({ range }) => range.start.line === line;
}

/** Whether the finding, or anything that it is inside of, starts on a line. */
function startsOn(line: number, documentsOf: DocumentsOf): (found: Diagnostic) => boolean {
  return found => {
    if (found.range.start.line === line) return true;
    const steps = stepsOf(found.pointer);
    return documentsOf(found).some(document =>
      Array.from({ length: steps.length + 1 }, (_, length) => steps.slice(0, length)).some(
        path => document.locate(path, path.length === 0 ? 'value' : 'key').start.line === line,
      ),
    );
  };
}

/** @see https://www.rfc-editor.org/rfc/rfc6901 */
function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
