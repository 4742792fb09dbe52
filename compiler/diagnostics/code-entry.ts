import type { Severity } from './diagnostic.ts';

/** The areas, by the first digit of the number. */
export const AREAS = {
  1: 'input',
  2: 'references',
  3: 'aggregation',
  4: 'incoming authentication',
  5: 'authorization',
  6: 'outgoing connections',
  7: 'workflows',
  8: 'registry server',
  9: 'change',
} as const;

/** Why findings of a code cannot be turned down, dropped or suppressed by the people who have them. */
export const FIXED_REASONS = {
  admission: 'the API server refuses the object, or drops what it says',
  unreadable: 'it says that something was not checked',
  unbuildable: 'what is written has no one meaning, so nothing can be built from it',
  unservable: 'this version cannot serve it, so nothing is built from it',
  tested: 'a test asks for it, and its file says otherwise',
  oversight: 'it watches over what is left out of the findings',
} as const;

/** What is known about a code, whatever the finding. */
export type CodeEntry = {
  /** In kebab-case; unique, and as permanent as the number. */
  readonly name: string;
  /** The default; a caller may give another where the table's `meaning` says so. */
  readonly severity: Severity;
  /** Set where the tools of backends decide: without a tool lock, no finding is no proof that all is well. */
  readonly needsLock?: true;
  /** Set where it only matters in pods: judged where manifests are made, by `lintel build --manifests` and the controller. */
  readonly needsPods?: true;
  readonly meaning: string;
  /** The version that added it. */
  readonly since: string;
  /** What to do about it. */
  readonly fix: string;
  /** Set where it is a fact, not a matter of judgement. */
  readonly fixed?: keyof typeof FIXED_REASONS;
  /** Documents with this finding, and the same put right; see `example.ts` for what stands next to them. */
  readonly bad?: string;
  readonly good?: string;
};
