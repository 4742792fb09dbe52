import { styleText } from 'node:util';
import { type ChainProblem, type ChainVerification, readLogLines, verifyChain } from '../audit-log/index.ts';
import { UsageError } from '../usage-error.ts';
import { useColor } from './use-color.ts';

export const VERDICT_FORMATS = ['pretty', 'json'] as const;

export interface AuditVerifyOptions {
  /** The expected hash of the newest record: 64 hexadecimal digits. */
  readonly head?: string | undefined;
  readonly format: (typeof VERDICT_FORMATS)[number];
}

/**
 * Verifies the hash chain of an audit log. Returns the exit code.
 *
 * @param files of one log
 * @throws UsageError for a file that cannot be read, and for an invalid hash
 */
export async function auditVerify(files: readonly string[], { head, format }: AuditVerifyOptions): Promise<number> {
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head)) {
    throw new UsageError(`--head takes the hash of a record, 64 digits from 0 to f, as /status shows it`);
  }
  const verdict = await verifyChain(readLogLines(files));
  const isCutOff = head !== undefined && verdict.head !== null && verdict.head.hash !== head;
  const isWhole = verdict.problemCount === 0 && !isCutOff;
  const code = verdict.head === null ? 3 : isWhole ? 0 : 1;
  if (format === 'json') {
    process.stdout.write(
      `${JSON.stringify({ isWhole: code === 0, ...verdict, expectedHead: head ?? null }, null, 2)}\n`,
    );
    return code;
  }
  for (const problem of verdict.problems) process.stdout.write(formatProblem(problem));
  const more = verdict.problemCount - verdict.problems.length;
  if (more > 0) process.stdout.write(`and ${more} more\n`);
  if (isCutOff)
    process.stdout.write(
      `the newest record is not the one with the hash ${head}: records are missing at the end, or it is the hash of another log\n`,
    );
  process.stdout.write(formatSummary(verdict, code, head));
  return code;
}

function formatProblem({ file, line, message }: ChainProblem): string {
  const level = useColor(process.stdout) ? styleText('red', 'error', { validateStream: false }) : 'error';
  return `${file}:${line}: ${level}: ${message}\n`;
}

function formatSummary(
  { records, first, head, unchained, torn }: ChainVerification,
  code: number,
  expectedDigest?: string,
): string {
  if (head === null || first === null) {
    return 'No record is in a chain: there is nothing to verify. LINTEL_AUDIT_CHAIN=true chains records from then on.\n';
  }
  const lines = [
    `${code === 0 ? 'The chain is whole' : 'The chain is broken'}: ${formatCount(records, 'record')}, from ${first} to ${head.sequence}.`,
  ];
  if (first > 1) lines.push(`Records 1 to ${first - 1} are in none of the files.`);
  if (unchained > 0) lines.push(`${formatCount(unchained, 'line')} before the chain began, which cannot be verified.`);
  if (torn > 0)
    lines.push(
      `${formatCount(torn, 'line')} written in part only, by a process that was killed or whose disk was full; the chain continues after that.`,
    );
  lines.push(`Newest hash: ${head.hash}`);
  if (expectedDigest === undefined)
    lines.push(
      'Compare it with audit.chainHead in /status, or with a hash that you stored: records may be missing at the end.',
    );
  return `${lines.join('\n')}\n`;
}

function formatCount(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
