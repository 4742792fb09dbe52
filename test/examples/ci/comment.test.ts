/** What the script that comments on pull requests prints when it cannot comment. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, run } from '../../support/process.ts';

const GITHUB = { GITHUB_TOKEN: 't', GITHUB_API_URL: 'http://127.0.0.1:1', GITHUB_REPOSITORY: 'a/b', PULL_REQUEST: '7' };

test.each<[string, Record<string, string>, string]>([
  [
    'a pull request',
    { GITHUB_TOKEN: 't', GITHUB_API_URL: 'http://127.0.0.1:1' },
    'not set: GITHUB_REPOSITORY, PULL_REQUEST;',
  ],
  ['a merge request', { GITLAB_CI: 'true', LINTEL_COMMENT_TOKEN: 't' }, 'not set: CI_API_V4_URL, '],
  ['a difference', GITHUB, 'lintel-diff.md does not exist: write it with lintel diff'],
])(
  'the comment script of the CI example exits with code 2 without %s, and says what is missing',
  async (_, env, message) => {
    const { code, stderr } = await run(join(ROOT, 'examples/ci/comment.mjs'), ['nowhere/lintel-diff.md'], { env });
    expect([code, stderr.replace('nowhere/', '')]).toEqual([2, expect.stringContaining(message)]);
  },
);

test('the comment script of the CI example writes no comment without a token, and exits with code 0', async () => {
  const { code, stdout } = await run(join(ROOT, 'examples/ci/comment.mjs'), []);
  expect([code, stdout]).toEqual([0, 'no token, so there is no comment\n']);
});
