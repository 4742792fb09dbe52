import type { Program } from '../../support/process.ts';

/** How much of a program's standard error is printed after it exited: its end. */
const MAX_TOLD_CHARACTERS = 2_000;

/**
 * Waits for `work` while the test's programs run, by their names.
 *
 * @throws as soon as one of them exits by itself: which one, and how it exited
 */
export function whileRunning<T>(programs: { readonly [name: string]: Program }, work: Promise<T>): Promise<T> {
  const ends = Object.entries(programs).map(async ([name, program]) => {
    const how = await program.ending;
    throw new Error(`the ${name} ended by itself with ${how}: ${program.stderr.text.slice(-MAX_TOLD_CHARACTERS)}`);
  });
  return Promise.race([work, ...ends]);
}
