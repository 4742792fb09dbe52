import type { Severity } from '../diagnostic.ts';

/** What is known about a code, whatever the finding. */
export type CodeEntry = {
  /** In kebab-case; unique, and as permanent as the number. */
  readonly name: string;
  /** The default; a caller may give another where the table's `meaning` says so. */
  readonly severity: Severity;
  readonly meaning: string;
  /** The version that added it. */
  readonly since: string;
  /** What to do about it. */
  readonly fix: string;
  /** Documents with this finding, and the same put right; see `example.ts` for what stands beside them. */
  readonly bad?: string;
  readonly good?: string;
};
