/** An error, for a line of the log. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
