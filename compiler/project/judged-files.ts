import { CODES } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';

/**
 * The files that were judged to the end. Of an object that the API server refuses, or a document that cannot be read, no rule
 * was asked: what is not found in such a file may be there all the same.
 */
export function judgedFiles(files: Iterable<string>, found: readonly Diagnostic[]): ReadonlySet<string> {
  const broken = new Set(found.filter(stopsJudging).map(({ file }) => file));
  return new Set([...files].filter(file => !broken.has(file)));
}

function stopsJudging({ code, severity }: Diagnostic): boolean {
  const { fixed } = CODES[code];
  return severity === 'error' && (fixed === 'admission' || fixed === 'unreadable');
}
