import { CODES } from '../codes.ts';
import type { NotChecked } from '../not-checked.ts';
import type { Findings } from '../report.ts';

/** What was checked. */
export type CheckedCounts = {
  /** Files read. */
  readonly files: number;
  /** Objects of Lintel's kinds that were checked. */
  readonly objects: number;
  /** Objects of other kinds, which were ignored. */
  readonly foreign: number;
  /** Whether everything could be checked. */
  readonly complete: boolean;
  /** Checks that could not be made, so that the absence of findings proves nothing about them. */
  readonly notChecked?: readonly NotChecked[];
  /**
   * Checks that errors prevented: rules that read a faulty part, rules about whole gateways, and references to objects that could not be
   * read.
   */
  readonly open?: {
    readonly objects: number;
    readonly rules: number;
    readonly gateways: number;
    /** References to objects that are missing and may be in a document that could not be read; undefined for none. */
    readonly references?: number;
  };
};

/** The summary line, without a line break, such as `3 errors, 1 warning in 2 files (14 objects checked, 5 foreign objects left alone)`. */
export function formatSummaryLine(findings: Findings, checked: CheckedCounts): string {
  const { error, warning, hint } = findings.counts;
  const found = [
    error > 0 && count(error, 'error'),
    warning > 0 && count(warning, 'warning'),
    hint > 0 && count(hint, 'hint'),
  ].filter(part => part !== false);
  const foreign = checked.foreign > 0 ? `, ${count(checked.foreign, 'foreign object')} left alone` : '';
  const baselined = findings.suppressed.filter(({ by }) => by === 'baseline').length;
  const suppressed = findings.suppressed.length - baselined;
  const hushed = findings.suppressed.filter(({ finding }) => finding.severity === 'error').length;
  const notShown = findings.omitted.reduce((sum, { count }) => sum + count, 0);
  const where =
    checked.files === 0 && !checked.complete
      ? '; no file could be read'
      : ` in ${count(checked.files, 'file')} (${count(checked.objects, 'object')} checked${foreign})`;
  return [
    `${found.join(', ') || 'no findings'}${where}`,
    suppressed > 0 ? `; ${count(suppressed, 'finding')} suppressed` : '',
    baselined > 0 ? `; ${count(baselined, 'finding')} in the baseline` : '',
    notShown > 0 ? `; ${count(notShown, 'finding')} not shown` : '',
    hushed > 0
      ? `; ${count(hushed, 'error')} of these still ${hushed === 1 ? 'keeps' : 'keep'} a bundle from being built`
      : '',
    checked.complete ? '' : '; not everything could be checked',
  ].join('');
}

/** The summary line and notes about checks that were not made, each with a final line break. */
export function formatClosing(findings: Findings, checked: CheckedCounts, all = false): string {
  const notes = [openNote(checked), lockNote(findings, checked, all)].filter(note => note !== undefined);
  return [formatSummaryLine(findings, checked), ...notes].map(line => `${line}\n`).join('');
}

/** A note that an error hides further findings; undefined when no check was prevented. */
export function openNote({ open }: Pick<CheckedCounts, 'open'>): string | undefined {
  if (open === undefined || open.objects + open.gateways + (open.references ?? 0) === 0) return undefined;
  const { references = 0 } = open;
  const rules = open.objects > 0 && `${count(open.rules, 'rule')} about ${count(open.objects, 'object')}`;
  const whole = open.gateways > 0 && `${count(open.gateways, 'gateway')} as a whole`;
  const targets =
    references > 0 && `${count(references, 'reference')} to objects that may be in what could not be read`;
  const parts = [rules, whole, targets].filter(part => part !== false);
  return `not checked because of these errors: ${parts.join(', and ')}; there may be more findings once the errors are fixed`;
}

/**
 * A note about checks that need a tool lock, and how to enable them. Undefined when there is a lock, and while there are errors, which come
 * first.
 *
 * @param all lists the rules rather than counting them
 */
export function lockNote(
  { counts }: { readonly counts: Pick<Findings['counts'], 'error'> },
  { notChecked = [] }: Pick<CheckedCounts, 'notChecked'>,
  all: boolean,
): string | undefined {
  const lock = notChecked.find(({ because }) => because === 'no-lock');
  if (lock === undefined || counts.error > 0) return undefined;
  if (!all)
    return `not checked without a tool lock: ${count(lock.codes.length, 'rule')} (\`lintel check --all\` names them); to have them checked, ${lock.fix}`;
  const rules = lock.codes.map(code => `${code} ${CODES[code].name}`).join(', ');
  return `not checked without a tool lock: ${rules}; to have them checked, ${lock.fix}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
