import { type DiagnosticCode, SourceText } from '#compiler';
import { createDiagnostic, type Diagnostic, type DiagnosticDetails } from '../../../compiler/diagnostics/diagnostic.ts';
import type { LineSource } from '../../../compiler/diagnostics/render/frame.ts';
import { type Findings, Report } from '../../../compiler/diagnostics/report.ts';

/** A finding that marks the part of a text between « and », and the text without these markers. */
export function marked(
  file: string,
  text: string,
  code: DiagnosticCode,
  message: string,
  details?: DiagnosticDetails,
): { finding: Diagnostic; source: SourceText } {
  const start = text.indexOf('«');
  const end = text.indexOf('»') - 1;
  const source = new SourceText(file, text.replace(/[«»]/g, ''));
  return {
    finding: createDiagnostic(code, { file, pointer: '', range: source.range(start, end) }, message, details),
    source,
  };
}

/** A finding on the first line of a file. */
export function at(file: string, offset: number, code: DiagnosticCode = 'LNT1003', message = 'm'): Diagnostic {
  const position = { line: 1, column: offset + 1, offset };
  return createDiagnostic(code, { file, pointer: '', range: { start: position, end: position } }, message);
}

export function findings(...found: Diagnostic[]): Findings {
  const report = new Report();
  report.add(...found);
  return report.findings();
}

export function createLineSource(...sources: SourceText[]): LineSource {
  return (file, line) => sources.find(source => source.file === file)?.line(line);
}
