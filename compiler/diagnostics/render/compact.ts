import { capped } from './capped.ts';
import { printable } from './printable.ts';
import { notShown, type Rendering } from './rendering.ts';

/** One line a finding, in the manner of gcc: editors and terminals turn its start into a link. Empty without findings. */
export function renderCompact({ findings, all }: Rendering): string {
  const { shown, rest } = capped(findings.diagnostics, all);
  const lines = shown.map(({ file, range: { start }, severity, code, message, constructPath }) => {
    const made = constructPath === undefined ? '' : ` (in ${printable(constructPath)})`;
    return `${printable(file)}:${start.line}:${start.column}: ${severity}[${code}]: ${printable(message)}${made}\n`;
  });
  const omitted = findings.omitted.map(({ file, count }) => `${printable(file)}:1:1: note: ${notShown(count)}\n`);
  return [...lines, ...rest.map(line => `note: ${line}\n`), ...omitted].join('');
}
