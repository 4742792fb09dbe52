/** The results of workflow tests, which formats report besides findings. */
import type { Diagnostic, Range } from '../diagnostic.ts';
import { escapeUnprintable } from './printable.ts';

export interface TestResults {
  /** In the order of the files and of the tests in them. */
  readonly tests: readonly TestResult[];
  readonly coverage: readonly TestCoverage[];
}

export interface TestResult {
  readonly file: string;
  /** The JSON pointer (RFC 6901) of the test in its file: findings at or below this pointer belong to the test. */
  readonly pointer: string;
  /** The name of the test. A file whose mistakes hide its tests is one result with the pointer "". */
  readonly name: string;
  /** `not-run`: mistakes in the specs or in its file prevent it. */
  readonly status: 'passed' | 'failed' | 'not-run';
}

export interface TestCoverage {
  readonly workflow: string;
  readonly steps: Share;
  readonly branches: Share;
  readonly percent: number;
  readonly missing: readonly {
    readonly step: string;
    readonly branch: string | undefined;
    readonly location: { readonly file: string; readonly range: Range };
  }[];
}

interface Share {
  readonly taken: number;
  readonly all: number;
}

/** Whether a finding belongs to a test. */
export function belongsToTest({ file, pointer }: Pick<TestResult, 'file' | 'pointer'>, found: Diagnostic): boolean {
  return found.file === file && (found.pointer === pointer || found.pointer.startsWith(`${pointer}/`));
}

/** Text output, after the findings. */
export function testResultsText({ tests, coverage }: TestResults): string {
  const files = Map.groupBy(tests, ({ file }) => file);
  const lists = [...files].map(([file, list]) =>
    [
      escapeUnprintable(file),
      ...list.map(({ name, status }) => `  ${WORDS[status]} ${escapeUnprintable(name)}`),
      '',
    ].join('\n'),
  );
  return `${lists.map(list => `${list}\n`).join('')}${coverage.map(formatCoverage).join('')}${formatTotals(tests)}\n`;
}

const WORDS = { passed: 'ok     ', failed: 'FAILED ', 'not-run': 'not run' } as const;

function formatCoverage({ workflow, steps, branches, percent, missing }: TestCoverage): string {
  const head = `coverage of ${escapeUnprintable(workflow)}: ${percent} % (steps ${shareText(steps)}, branches ${shareText(branches)})\n`;
  const lines = missing.map(({ step, branch, location: { file, range } }) => {
    const what = branch === undefined ? '' : ` ${branch}`;
    return `  no test takes step "${escapeUnprintable(step)}"${what}: ${escapeUnprintable(file)}:${range.start.line}:${range.start.column}\n`;
  });
  return `${head}${lines.join('')}`;
}

function shareText({ taken, all }: Share): string {
  return `${taken} of ${all}`;
}

function formatTotals(tests: readonly TestResult[]): string {
  const counts = Map.groupBy(tests, ({ status }) => status);
  const failed = counts.get('failed')?.length ?? 0;
  const notRun = counts.get('not-run')?.length ?? 0;
  return [
    `${tests.length} ${tests.length === 1 ? 'test' : 'tests'}: ${counts.get('passed')?.length ?? 0} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(notRun > 0 ? [`${notRun} not run`] : []),
  ].join(', ');
}
