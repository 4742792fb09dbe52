/**
 * The command has an invalid argument, such as a path that does not exist or an unknown option. Nothing was checked; the process ends with exit
 * code 2. Mistakes in a document are diagnostics instead.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** The exit code of the process. */
  readonly exitCode = 2;
}
