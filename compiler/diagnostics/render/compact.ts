import { capFindings } from './cap-findings.ts';
import { escapeUnprintable } from './printable.ts';
import { formatNotShown, type Rendering } from './rendering.ts';
import { lockNote, openNote } from './summary.ts';

/** One line per finding, in the format of gcc, so that editors and terminals link to the position. Notes about the whole run are omitted. */
export function renderCompact({ findings, checked, all = false }: Rendering): string {
  const { shown, rest } = capFindings(findings.diagnostics, all);
  const lines = shown.map(({ file, range: { start }, severity, code, message, constructPath }) => {
    const made = constructPath === undefined ? '' : ` (in ${escapeUnprintable(constructPath)})`;
    return `${escapeUnprintable(file)}:${start.line}:${start.column}: ${severity}[${code}]: ${escapeUnprintable(message)}${made}\n`;
  });
  const omitted = findings.omitted.map(
    ({ file, count }) => `${escapeUnprintable(file)}:1:1: note: ${formatNotShown(count)}\n`,
  );
  const notes = [...rest, openNote(checked), lockNote(findings, checked, all)].filter(note => note !== undefined);
  return [...lines, ...notes.map(note => `note: ${note}\n`), ...omitted].join('');
}
