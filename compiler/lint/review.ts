/**
 * The last step of a compilation: which findings count, and with which severity. At this point it is already decided which bundles are built.
 */
import { CODES, type DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { ReviewedFindings } from '../diagnostics/report.ts';
import { findKnown, findMissing, reportRefused, reportStale } from './baseline.ts';
import { listCheckedFiles } from './checked-files.ts';
import { resolveSeverity, type SeveritySetting } from './profiles.ts';
import type { LintOptions } from './project.ts';
import { reportUnused, type SuppressionSources, suppress } from './suppress.ts';
import type { Suppression } from './suppression.ts';

export interface ReviewContext extends SuppressionSources {
  readonly project: LintOptions;
  readonly purpose: 'language' | 'check' | 'build';
  /** Whether there is a tool lock without errors. */
  readonly hasLock: boolean;
  readonly isForPods: boolean;
  /** See `Sources`. */
  readonly wasRun: ((file: string, line: number) => boolean) | undefined;
  /** Whether everything could be read and checked. */
  readonly complete: boolean;
}

/**
 * Removes suppressed findings, applies severities, and removes findings in the baseline. For `build`, no configuration removes errors: they
 * explain why a bundle is missing.
 */
export function review(found: readonly Diagnostic[], context: ReviewContext): ReviewedFindings {
  const { project, purpose } = context;
  const final = new Set(purpose === 'build' ? found.filter(({ severity }) => severity === 'error') : []);
  const applySettings = (diagnostic: Diagnostic) =>
    final.has(diagnostic) ? [diagnostic] : applySeverity(diagnostic, project);

  const { remaining, suppressed, unused, diagnostics } = suppress(found, context, final);
  const checked = listCheckedFiles(context.texts.keys(), found);
  // An error in an object also prevents checks of its gateway, so a suppression in the same file may be needed although it seems unused.
  const withErrors = new Set(found.filter(({ severity }) => severity === 'error').map(({ file }) => file));
  const isUnchecked = (code: DiagnosticCode) =>
    (!context.hasLock && CODES[code].needsLock === true) || (!context.isForPods && CODES[code].needsPods === true);
  // A program may skip lines in this run, and execute them in another: a suppression in a skipped line may be needed in that run.
  const isLeftOut = ({ location, scope }: Suppression) =>
    scope.type !== 'object' && context.wasRun?.(location.file, scope.line) === false;
  const about = unused
    .filter(
      suppression =>
        checked.has(suppression.location.file) &&
        !withErrors.has(suppression.location.file) &&
        !isUnchecked(suppression.code) &&
        !isLeftOut(suppression),
    )
    .map(reportUnused);
  const counted = [...remaining, ...diagnostics, ...about, ...project.diagnostics].flatMap(applySettings);
  if (project.baseline === undefined) return { counted, suppressed };

  const { baseline } = project;
  const names = new Set([...checked].map(baseline.toName));
  const missing = context.complete ? findMissing(baseline, counted, file => names.has(file)) : new Map();
  const known = findKnown(baseline, counted);
  const isKnown = (diagnostic: Diagnostic) => known.has(diagnostic) && !final.has(diagnostic);
  const baselined = counted.filter(isKnown).map(finding => ({ finding, by: 'baseline' as const }));
  const aboutBaseline = [...reportRefused(baseline), ...reportStale(baseline, missing)];
  return {
    counted: [...counted.filter(diagnostic => !isKnown(diagnostic)), ...aboutBaseline.flatMap(applySettings)],
    suppressed: [...suppressed, ...baselined],
  };
}

function applySeverity(found: Diagnostic, { profile, severity }: LintOptions): readonly Diagnostic[] {
  const setting: SeveritySetting = severity.get(found.code) ?? resolveSeverity(profile, found.code, found.severity);
  if (setting === 'off') return [];
  return [setting === found.severity ? found : { ...found, severity: setting }];
}
