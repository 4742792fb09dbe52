/** Ends a command with its exit code. */

export function finish(code: number): void {
  process.exitCode = code;
}
