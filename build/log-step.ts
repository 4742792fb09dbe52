/**
 * Says on standard error what a command does now: a minute without a word looks like one that hangs. Standard output has what it made.
 *
 * @param step such as `npm packs the files`
 */
export function logStep(step: string): void {
  process.stderr.write(`${step} …\n`);
}

/** By which a command says its steps. */
export type LogStep = typeof logStep;

/** Says nothing: for tests and other callers. */
export const ignoreStep: LogStep = () => {};
