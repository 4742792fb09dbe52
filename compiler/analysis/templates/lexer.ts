/** Splits a template into tokens: text, actions, trim markers and comments. */
import { tokenizeAction } from './action-lexer.ts';
import { matchAt, matchClose } from './delimiter.ts';
import { SyntaxProblem } from './syntax-error.ts';
import type { Token } from './token.ts';

const OPEN = '{{';
const COMMENT_END = '*/';

/** A minus next to white space; without it, `{{-3}}` is a number. */
const TRIM_LEFT = /-[ \t\r\n]/y;
const TRIM_LEFT_LENGTH = 2;

/** @throws SyntaxProblem */
export function tokenizeTemplate(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  for (;;) {
    const open = text.indexOf(OPEN, position);
    const marker = open + OPEN.length;
    const trims = open !== -1 && matchAt(TRIM_LEFT, text, marker) !== undefined;
    pushText(tokens, text, position, open === -1 ? text.length : open, trims);
    if (open === -1) break;
    const start = trims ? marker + TRIM_LEFT_LENGTH : marker;
    position = text.startsWith('/*', start)
      ? skipComment(text, open, start)
      : readAction(tokens, text, open, start, trims);
  }
  tokens.push({ kind: 'end-of-text', text: '', at: [text.length, 0] });
  return tokens;
}

function pushText(tokens: Token[], text: string, start: number, end: number, trims: boolean): void {
  let stop = end;
  if (trims) while (stop > start && ' \t\r\n'.includes(text.charAt(stop - 1))) stop -= 1;
  if (stop > start) tokens.push({ kind: 'text', text: text.slice(start, stop), at: [start, stop - start] });
}

function skipComment(text: string, open: number, start: number): number {
  const end = text.indexOf(COMMENT_END, start + COMMENT_END.length);
  if (end === -1) {
    throw new SyntaxProblem([open, text.length - open], 'this comment is never closed', 'end it with */}}');
  }
  const after = end + COMMENT_END.length;
  const close = matchClose(text, after);
  if (close !== undefined) return close;
  throw new SyntaxProblem(
    [open, after - open],
    'a comment is not followed by }}',
    'write it alone in its action, as {{/* … */}} or {{- /* … */ -}}',
  );
}

function readAction(tokens: Token[], text: string, open: number, start: number, trims: boolean): number {
  tokens.push({ kind: 'open', text: trims ? '{{-' : OPEN, at: [open, start - open] });
  let position = start;
  for (const token of tokenizeAction(text, open, start)) {
    tokens.push(token);
    position = token.at[0] + token.at[1];
  }
  const end = matchClose(text, position) ?? text.length;
  tokens.push({ kind: 'close', text: '}}', at: [position, end - position] });
  return end;
}
