/** Texts checked by a project, as lines for a table. */
import { type Catalog, type Compilation, compile, readTexts, SourceText } from '#compiler';
import { DEFAULT_LINT_OPTIONS, type LintOptions } from '../../../compiler/lint/index.ts';

export interface JudgingOptions {
  readonly project?: Partial<LintOptions>;
  readonly purpose?: 'language' | 'check' | 'build';
  readonly catalog?: Catalog;
  readonly target?: 'pods';
  /** Null for a caller without a date. */
  readonly today?: string | null;
}

/** Compiles texts; the first is named `a.yaml`, the second `b.yaml` and so on. */
export function judged(texts: string | readonly string[], options: JudgingOptions = {}): Compilation {
  const { project = {}, purpose = 'check', catalog, target, today = '2026-06-01' } = options;
  const sources = readTexts([texts].flat().map((text, at) => new SourceText(`${'abcdef'[at]}.yaml`, text)));
  const origin = { compilerVersion: '0.0.0', sourceRevision: null };
  return compile(sources, {
    purpose,
    origin,
    catalog,
    target,
    project: { ...DEFAULT_LINT_OPTIONS, ...project },
    today: today ?? undefined,
  });
}

/** Findings that count, as `LNT1006 warning 3`: code, severity and line. */
export function counting({ findings }: Compilation): string[] {
  return findings.diagnostics.map(({ code, severity, range }) => `${code} ${severity} ${range.start.line}`);
}

/** Findings that do not count, as `LNT1006 3 comment`. */
export function notCounting({ findings }: Compilation): string[] {
  return findings.suppressed.map(({ finding, by }) => `${finding.code} ${finding.range.start.line} ${by}`);
}
