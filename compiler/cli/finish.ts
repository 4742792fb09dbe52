/** How a command ends. */

export function finish(code: number): void {
  process.exitCode = code;
}
