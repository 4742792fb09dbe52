import { CODES } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isProgram } from '../source/is-program.ts';

/**
 * The files that were checked completely. Rules skip an object that the API server refuses, and a document that cannot be parsed, so a finding
 * that is missing for such a file may still apply. For a program, any of its files may be the cause.
 */
export function listCheckedFiles(files: Iterable<string>, found: readonly Diagnostic[]): ReadonlySet<string> {
  const stopping = found.filter(stopsChecking);
  const broken = new Set(stopping.map(({ file }) => file));
  const isBrokenProgram = stopping.some(({ file, constructPath }) => constructPath !== undefined || isProgram(file));
  return new Set([...files].filter(file => !broken.has(file) && !(isBrokenProgram && isProgram(file))));
}

function stopsChecking({ code, severity }: Diagnostic): boolean {
  const { fixed } = CODES[code];
  return severity === 'error' && (fixed === 'admission' || fixed === 'unreadable');
}
