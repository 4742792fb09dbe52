/** One check of `lintel doctor`, of a machine or a project. */

import { wrapLines } from '#shared/util';
import { formatJson } from '../../diagnostics/render/json-text.ts';
import { escapeUnprintable } from '../../diagnostics/render/printable.ts';

export interface DoctorCheck {
  /** The subject of the check, in a word or two. */
  readonly check: string;
  readonly outcome: 'works' | 'warning' | 'broken' | 'skipped';
  /** The result, in a few words. */
  readonly seen: string;
  /** What the operator can do about it. */
  readonly advice?: string;
}

export const CHECK_FORMATS = ['text', 'json'] as const;

export type CheckFormat = (typeof CHECK_FORMATS)[number];

const OUTCOME_WIDTH = 'skipped'.length;

/** @param columns of the terminal; undefined for lines of any length */
export function renderChecks(checks: readonly DoctorCheck[], format: CheckFormat, columns: number | undefined): string {
  const broken = checks.filter(({ outcome }) => outcome === 'broken');
  if (format === 'json') return formatJson({ formatVersion: 1, works: broken.length === 0, checks });
  const names = Math.max(...checks.map(({ check }) => check.length));
  const indent = ' '.repeat(OUTCOME_WIDTH + names + 6);
  const room = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(24, columns - indent.length);
  const lines = checks.flatMap(({ check, outcome, seen, advice }) => {
    const [first = '', ...more] = wrapLines(escapeUnprintable(seen), room);
    return [
      `  ${outcome.padEnd(OUTCOME_WIDTH)}  ${check.padEnd(names)}  ${first}`,
      ...more.map(line => indent + line),
      ...(advice === undefined ? [] : wrapLines(escapeUnprintable(`fix: ${advice}`), room).map(line => indent + line)),
    ];
  });
  const verdict = broken.length === 0 ? 'Nothing is broken' : `Broken: ${broken.map(({ check }) => check).join(', ')}`;
  return `${[...lines, '', verdict].join('\n')}\n`;
}
