import type { SourceText } from '../source/source-text.ts';

/** Unchanged lines around a change. */
const CONTEXT = 3;

/**
 * A unified diff of two texts with the same number of lines, for `patch` and `git apply`.
 *
 * @see https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html
 */
export function formatUnifiedDiff(before: SourceText, after: SourceText): string {
  const [a, b] = [splitLines(before), splitLines(after)];
  const changed = a.flatMap((line, at) => (line === b[at] ? [] : [at]));
  const hunks: { start: number; end: number }[] = [];
  for (const at of changed) {
    const last = hunks.at(-1);
    const end = Math.min(a.length, at + CONTEXT + 1);
    if (last !== undefined && at - CONTEXT <= last.end) last.end = end;
    else hunks.push({ start: Math.max(0, at - CONTEXT), end });
  }
  const name = before.file;
  return `--- ${name.startsWith('/') ? name : `a/${name}`}\n+++ ${name.startsWith('/') ? name : `b/${name}`}\n${hunks.map(hunk => formatHunk(a, b, hunk)).join('')}`;
}

function formatHunk(
  a: readonly string[],
  b: readonly string[],
  { start, end }: { start: number; end: number },
): string {
  const location = `${start + 1},${end - start}`;
  const rows: string[] = [];
  for (let at = start; at < end; ) {
    const from = at;
    while (at < end && a[at] !== b[at]) at += 1;
    rows.push(
      ...a.slice(from, at).map(line => formatRow('-', line)),
      ...b.slice(from, at).map(line => formatRow('+', line)),
    );
    if (at < end) rows.push(formatRow(' ', a[at] ?? ''));
    at += 1;
  }
  return `@@ -${location} +${location} @@\n${rows.join('')}`;
}

function formatRow(sign: string, line: string): string {
  return line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`;
}

/** With line breaks, and with the byte order mark, which is part of the file. */
function splitLines({ text, startsWithMark }: SourceText): readonly string[] {
  const whole = startsWithMark ? `\uFEFF${text}` : text;
  return whole.split(/(?<=\n)/);
}
