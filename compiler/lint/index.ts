/** Decides which findings count: profiles, comments in specs, the baseline. */
export {
  type Baseline,
  type BaselineEntry,
  findMissing,
  isRefused,
  isTakeable,
  type MissingFindings,
  sortEntries,
  toBaselineEntries,
} from './baseline.ts';
export { listCheckedFiles } from './checked-files.ts';
export { findComments, listCommentDirectives } from './comments.ts';
export { createMatcher, findGlobBase } from './globs.ts';
export {
  DEFAULT_PROFILE,
  type ParsedProfile,
  PROFILE_VERSIONS,
  type Profile,
  parseProfile,
  resolveSeverity,
  type SeveritySetting,
} from './profiles.ts';
export { DEFAULT_LINT_OPTIONS, type LintOptions, type Project } from './project.ts';
export { review } from './review.ts';
export { SEVERITY_RANK } from './severity-rank.ts';
