import { capped } from './capped.ts';
import { printable } from './printable.ts';
import { notShown, type Rendering } from './rendering.ts';
import { lockNote, openNote } from './summary.ts';

/** One line per finding, in the format of gcc, so that editors and terminals link to the position. Notes about the whole run are omitted. */
export function renderCompact({ findings, checked, all = false }: Rendering): string {
  const { shown, rest } = capped(findings.diagnostics, all);
  const lines = shown.map(({ file, range: { start }, severity, code, message, constructPath }) => {
    const made = constructPath === undefined ? '' : ` (in ${printable(constructPath)})`;
    return `${printable(file)}:${start.line}:${start.column}: ${severity}[${code}]: ${printable(message)}${made}\n`;
  });
  const omitted = findings.omitted.map(({ file, count }) => `${printable(file)}:1:1: note: ${notShown(count)}\n`);
  const notes = [...rest, openNote(checked), lockNote(findings, checked, all)].filter(note => note !== undefined);
  return [...lines, ...notes.map(note => `note: ${note}\n`), ...omitted].join('');
}
