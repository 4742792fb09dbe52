/** Commands of the documentation that a test of their own runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './process.ts';

/** The test that runs a documented command, and what of the command is in the text of the test. */
export interface RunBy {
  readonly file: string;
  readonly text: string;
}

export function by(file: string, text: string): RunBy {
  return { file, text };
}

/** What is wrong with the reference; undefined if the test has the text. */
export function findStaleReference({ file, text }: RunBy): string | undefined {
  return readFileSync(join(ROOT, file), 'utf8').includes(text) ? undefined : `${file} does not contain ${text}`;
}
