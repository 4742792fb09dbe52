import type { Program } from '../../support/process.ts';

/** What is printed of a program that is gone: the end of its standard error. */
const MAX_TOLD_CHARACTERS = 2_000;

/**
 * Waits for `work` while programs of the test run, by their names.
 *
 * @throws as soon as one of them ends by itself: what it was and how it ended
 */
export function whileRunning<T>(programs: { readonly [name: string]: Program }, work: Promise<T>): Promise<T> {
  const ends = Object.entries(programs).map(async ([name, program]) => {
    const how = await program.ending;
    throw new Error(`the ${name} ended by itself with ${how}: ${program.stderr.text.slice(-MAX_TOLD_CHARACTERS)}`);
  });
  return Promise.race([work, ...ends]);
}
