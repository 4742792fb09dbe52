/** Code that several rooms need, and that belongs to none of them. */
export { type BackoffOptions, computeBackoffMs, spread } from './backoff.ts';
export { collectGarbage } from './collect-garbage.ts';
export { describeFileError } from './describe-file-error.ts';
export { endWithNpm } from './end-with-npm.ts';
export { escapeUnprintable, UNPRINTABLE } from './escape-unprintable.ts';
export { findCommand } from './find-command.ts';
export { isTuned } from './is-tuned.ts';
export { type AbortListener, type AbortSource, LinkedAbort } from './linked-abort.ts';
export { formatListenProblem } from './listen-problem.ts';
export { type FolderOptions, makeFolder } from './make-folder.ts';
export { findAbbreviation, findNearest, NearestWords } from './nearest.ts';
export {
  type Address,
  OptionError,
  type OptionValues,
  originOption,
  parseAddressOption,
  parseHostOption,
  parseOptions,
  parsePortOption,
} from './options.ts';
export { PAGE_STYLE } from './page-style.ts';
export { createFullBucket, type Rate, refill, type TokenBucket, TokenBuckets } from './token-bucket.ts';
export { wrapLines } from './wrap-lines.ts';
export { wrapUsage } from './wrap-usage.ts';
