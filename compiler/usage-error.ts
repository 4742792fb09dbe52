/**
 * The command was given something it cannot work with: a path that does not exist, an unknown option. Nothing was
 * checked; the process ends with exit code 2. Mistakes inside a document are diagnostics, never this.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** What the process ends with. */
  readonly exitCode = 2;
}
