/** Names of branches and tags, compared with git's own verdict. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findGitRefProblem } from '#schemas';

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

/** Runs git in a loop inside one small process, because each start from here would copy this process's memory map. */
const ASK = 'while IFS= read -r ref; do git check-ref-format "$ref" && echo yes || echo no; done';

function areAllowedByGit(refs: readonly string[]): boolean[] {
  const answers = execFileSync('sh', ['-c', ASK], { input: refs.map(ref => `${ref}\n`).join(''), encoding: 'utf8' });
  return answers
    .trimEnd()
    .split('\n')
    .map(answer => answer === 'yes');
}

test('a branch name in a spec is accepted exactly if git accepts it and it does not begin with a hyphen', () => {
  const names = fc.sample(name, 400);
  const allowed = areAllowedByGit(names.map(text => `refs/heads/${text}`));
  expect(allowed).toHaveLength(names.length);
  const taken = names.filter(text => findGitRefProblem('branch', text) === undefined);
  expect(taken).toEqual(names.filter((text, index) => allowed[index] && !text.startsWith('-')));
  expect(taken.length).toBeGreaterThan(10);
});
