/**
 * Reports on standard error the current step of a command, because a command that is silent for a minute seems to hang. Standard output has
 * the result.
 *
 * @param step such as `npm packs the files`
 */
export function logStep(step: string): void {
  process.stderr.write(`${step} …\n`);
}

/** How a command reports its steps. */
export type LogStep = typeof logStep;

/** Reports nothing: for tests and other callers. */
export const ignoreStep: LogStep = () => {};
