/** How revisions are formatted and parsed. */
import { describe, expect, test } from 'vitest';
import { formatCommitRevision, readRevision } from '#shared/git';

const SHORT = 'a'.repeat(40);
const LONG = 'b'.repeat(64);

test.each<[name: string | null, commit: string, revision: string]>([
  ['main', SHORT, `main@sha1:${SHORT}`],
  ['team/next', SHORT, `team/next@sha1:${SHORT}`],
  ['v1.2.0', LONG, `v1.2.0@sha256:${LONG}`],
  ['odd@name', SHORT, `odd@name@sha1:${SHORT}`],
  [null, SHORT, `sha1:${SHORT}`],
])(
  'the name %s and the commit %s are formatted as a revision, and readRevision reads both from it',
  (name, commit, revision) => {
    expect(formatCommitRevision(name, commit)).toBe(revision);
    expect(readRevision(revision)).toEqual({ name, commit });
  },
);

describe('none', () => {
  test.each([
    '',
    'main',
    SHORT,
    `main@sha1:${SHORT}0`,
    `main@sha256:${SHORT}`,
    `@sha1:${SHORT}`,
    `main@sha1:${SHORT}\n`,
  ])('the text %j is not a revision', text => expect(readRevision(text)).toBeUndefined());
});
