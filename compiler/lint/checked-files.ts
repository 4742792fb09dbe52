import { CODES } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isProgram } from '../source/is-program.ts';

/**
 * The files that were judged to the end. Of an object that the API server refuses, or a document that cannot be read, no rule
 * was asked: what is not found in such a file may be there all the same. In a program any file may be why.
 */
export function listCheckedFiles(files: Iterable<string>, found: readonly Diagnostic[]): ReadonlySet<string> {
  const stopping = found.filter(stopsJudging);
  const broken = new Set(stopping.map(({ file }) => file));
  const isBrokenProgram = stopping.some(({ file, constructPath }) => constructPath !== undefined || isProgram(file));
  return new Set([...files].filter(file => !broken.has(file) && !(isBrokenProgram && isProgram(file))));
}

function stopsJudging({ code, severity }: Diagnostic): boolean {
  const { fixed } = CODES[code];
  return severity === 'error' && (fixed === 'admission' || fixed === 'unreadable');
}
