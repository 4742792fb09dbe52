/** Names of branches and tags, beside what git itself says of them. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gitRefProblem } from '#schemas';

const piece = fc.constantFrom(
  'a',
  'B',
  '1',
  'ü',
  '.',
  '..',
  '/',
  '@',
  '{',
  '@{',
  '-',
  '~',
  '^',
  ':',
  '?',
  '*',
  '[',
  '\\',
  ' ',
  '.lock',
  '\u0001',
  '\u007f',
  '_',
  '%',
  '"',
  '$',
);
const name = fc.array(piece, { minLength: 1, maxLength: 6 }).map(pieces => pieces.join(''));

function isAllowedByGit(ref: string): boolean {
  try {
    execFileSync('git', ['check-ref-format', ref], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('a name is taken exactly when git takes it and it does not look like an option', () => {
  let taken = 0;
  fc.assert(
    fc.property(name, text => {
      const isTaken = gitRefProblem('branch', text) === undefined;
      if (isTaken) taken += 1;
      expect(isTaken).toBe(!text.startsWith('-') && isAllowedByGit(`refs/heads/${text}`));
    }),
    { numRuns: 400 },
  );
  expect(taken).toBeGreaterThan(10);
});
