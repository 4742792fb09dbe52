import type { Findings } from '../report.ts';

/** What was looked at. */
export type CheckedCounts = {
  /** Files read. */
  readonly files: number;
  /** Objects of our kinds that were checked. */
  readonly objects: number;
  /** Objects of other kinds, left alone. */
  readonly foreign: number;
  /** Whether everything could be checked. */
  readonly complete: boolean;
};

/**
 * The closing line, without a line break, such as
 * `3 errors, 1 warning in 2 files (14 objects checked, 5 foreign objects left alone)`.
 */
export function summaryLine(findings: Findings, checked: CheckedCounts): string {
  const { error, warning, hint } = findings.counts;
  const found = [
    error > 0 && count(error, 'error'),
    warning > 0 && count(warning, 'warning'),
    hint > 0 && count(hint, 'hint'),
  ].filter(part => part !== false);
  const foreign = checked.foreign > 0 ? `, ${count(checked.foreign, 'foreign object')} left alone` : '';
  const baselined = findings.suppressed.filter(({ by }) => by === 'baseline').length;
  const suppressed = findings.suppressed.length - baselined;
  const notShown = findings.omitted.reduce((sum, { count }) => sum + count, 0);
  return [
    `${found.join(', ') || 'no findings'} in ${count(checked.files, 'file')}`,
    ` (${count(checked.objects, 'object')} checked${foreign})`,
    suppressed > 0 ? `; ${count(suppressed, 'finding')} suppressed` : '',
    baselined > 0 ? `; ${count(baselined, 'finding')} in the baseline` : '',
    notShown > 0 ? `; ${count(notShown, 'finding')} not shown` : '',
    checked.complete ? '' : '; not everything could be checked',
  ].join('');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
