import { type Document, type ErrorCode, type Node, visit, type YAMLParseError } from 'yaml';
import type { ReaderProblem } from './problem.ts';
import type { SourceText } from './source-text.ts';

/** Clearer messages for some of the library's errors. */
const MESSAGES: Partial<Readonly<Record<ErrorCode, string>>> = {
  BAD_DQ_ESCAPE: 'a backslash here does not start an escape sequence; write two of them, or use single quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping or list cannot start on the line of a key; quote the value if it is text with ": "',
  KEY_OVER_1024_CHARS: 'a key must be shorter than 1024 characters',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line and be followed by ":"',
  NON_STRING_KEY: 'a key must be a string, not a list, a mapping or an alias',
  RESOURCE_EXHAUSTION: 'the value is too complex to be read',
  // The library repeats the tag, which may be an unquoted password that starts with an exclamation mark.
  TAG_RESOLVE_FAILED: 'the YAML tag is not known; if it is text, quote it',
  TAB_AS_INDENT: 'a tab is used for indentation, where YAML allows only spaces',
};

/** Source text in the library's messages, which may be secret; the code frame shows it where allowed. */
const QUOTED_SOURCE = /(in YAML stream|extra characters|Not a YAML token): .*$/s;

const TEMPLATE_HELP = 'This looks like a template: render it first and check the result';

const INDENTATION_HELP =
  'This looks like indentation: compare the spaces at the start of this line with those of the lines around it. What follows from it in this document is not shown';

/** A list item without a space after its hyphen, which YAML reads as a text: `-x`, but neither a number nor `---`. */
const HYPHEN = /^-[^\s\d-]/;

const HYPHEN_HELP =
  'If this is an item of a list, write a space behind its hyphen, as in "- x". What follows from it in this document is not shown';

/**
 * The library's errors as findings. Only the first error of each line is kept, because the others usually follow from it. After wrong
 * indentation all later errors of the document are dropped for the same reason.
 *
 * @param errors - In any order.
 * @param document - The document with the errors, if they belong to one.
 */
export function listSyntaxProblems(
  errors: readonly YAMLParseError[],
  source: SourceText,
  document?: Document.Parsed,
): readonly ReaderProblem[] {
  const lines = new Set<number>();
  const problems: ReaderProblem[] = [];
  for (const error of [...errors].sort((a, b) => a.pos[0] - b.pos[0])) {
    const problem = toSyntaxProblem(error, document);
    const { line } = source.position(problem.span.start);
    if (lines.has(line)) continue;
    lines.add(line);
    const isTemplate = source.line(line)?.text.includes('{{') ?? false;
    if (!isTemplate && isIndentation(error, source.text)) {
      problems.push(toIndentationProblem(error, problem, source.text));
      break;
    }
    if (!isTemplate && isHyphenated(source.text, problem.span.start)) {
      const message = 'this is neither a key, which ends with ":", nor an item of a list';
      problems.push({ ...problem, message, help: HYPHEN_HELP });
      break;
    }
    problems.push(isTemplate ? { ...problem, help: TEMPLATE_HELP } : problem);
  }
  return problems;
}

/** Whether the error is about a line's indentation rather than its content. */
function isIndentation({ code, message, pos: [start] }: YAMLParseError, text: string): boolean {
  switch (code) {
    case 'BAD_INDENT':
      // Other errors with this code, such as those about flow collections, say themselves what is wrong.
      return message.startsWith('All ');
    case 'MISSING_CHAR':
      return message.startsWith('Sequence item');
    case 'UNEXPECTED_TOKEN':
      return isAtStart(text, start) && /[\w"'-]/.test(text.charAt(findFirstOfLine(text, start)));
    case 'BLOCK_AS_IMPLICIT_KEY':
      return isAtStart(text, start) || isContinued(text, start);
    default:
      return false;
  }
}

function toIndentationProblem({ code }: YAMLParseError, problem: ReaderProblem, text: string): ReaderProblem {
  const { span } = problem;
  const locate = (offset: number) => {
    const start = findFirstOfLine(text, offset);
    const help = isHyphenated(text, start) ? HYPHEN_HELP : INDENTATION_HELP;
    return { span: { start, end: Math.max(start + 1, span.end) }, help };
  };
  if (code === 'BAD_INDENT') {
    const message = 'this line starts at another column than the keys or items that it belongs to';
    return { ...problem, ...locate(span.start), message };
  }
  if (code !== 'BLOCK_AS_IMPLICIT_KEY') return { ...problem, ...locate(span.start) };
  if (isAtStart(text, span.start))
    return { ...problem, ...locate(span.start), message: 'no mapping or list above starts at the column of this line' };
  const message = 'this line is deeper than the one before it, whose value is a text';
  return { ...problem, ...locate(findLineEnd(text, span.start) + 1), message };
}

/** Whether the line begins with a hyphen without a space after it. */
function isHyphenated(text: string, offset: number): boolean {
  const start = findFirstOfLine(text, findLineStart(text, offset));
  return HYPHEN.test(text.slice(start, findLineEnd(text, start)));
}

/** Whether only spaces precede the error on its line. */
function isAtStart(text: string, offset: number): boolean {
  return text.slice(findLineStart(text, offset), offset).trim() === '';
}

/** Whether the error is about a text without a colon that continues on the next, more indented line. */
function isContinued(text: string, offset: number): boolean {
  return !/:(?:\s|$)/.test(text.slice(offset, findLineEnd(text, offset)));
}

function findLineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function findLineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
}

/** For an offset within the line's indentation, the line's first character; otherwise the offset. */
function findFirstOfLine(text: string, offset: number): number {
  let at = offset;
  while (text.charAt(at) === ' ') at += 1;
  return at;
}

function toSyntaxProblem(error: YAMLParseError, document: Document.Parsed | undefined): ReaderProblem {
  const [start, end] = error.pos;
  const quote = /^Missing closing (["'])quote/.exec(error.message)?.[1];
  if (quote) {
    const opening = (document && findOpeningQuote(document, start)) ?? start;
    const span = { start: opening, end: opening + 1 };
    return { code: 'LNT1001', message: `this ${quote} is never closed`, span, path: [] };
  }
  const text = error.message.replace(QUOTED_SOURCE, '$1');
  const message = MESSAGES[error.code] ?? text.charAt(0).toLowerCase() + text.slice(1);
  return { code: 'LNT1001', message, span: { start, end }, path: [] };
}

/** The start of the scalar that consumed everything up to `end`, where the library reports the error. */
function findOpeningQuote(document: Document.Parsed, end: number): number | undefined {
  let opening: number | undefined;
  visit(document, {
    Scalar(_key, node: Node) {
      const [from, to] = node.range ?? [0, 0];
      if (from < end && end <= to) opening = from;
    },
  });
  return opening;
}
