import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { detectForge } from '../../../compiler/starter/ci-file.ts';
import { temporaryFolder } from '../../support/process.ts';

test.each<[where: string, forge: string | undefined, remote: string | undefined, folders: readonly string[]]>([
  ['GitHub by its remote', 'github', 'git@github.com:team/tools.git', []],
  ['GitHub Enterprise by its remote', 'github', 'https://github.example.com/team/tools.git', []],
  ['GitLab by its remote', 'gitlab', 'https://user@gitlab.example.com/team/tools.git', []],
  ['GitLab over ssh', 'gitlab', 'ssh://git@gitlab.com:22/team/tools.git', []],
  ['GitHub by the folder .github, whatever the remote', 'github', 'git@gitlab.com:team/tools.git', ['.github']],
  ['Gitea by its remote', 'gitea', 'ssh://git@gitea.example.com:2222/team/tools.git', []],
  ['Codeberg by its remote', 'gitea', 'https://codeberg.org/team/tools.git', []],
  ['Forgejo by the folder .forgejo, next to .github', 'gitea', undefined, ['.github', '.forgejo']],
  ['an unknown host', undefined, 'https://git.example.com/github/gitlab.git', []],
  ['a repository without a remote', undefined, undefined, []],
])('lintel init detects the Git host of a repository: %s', async (_, forge, remote, folders) => {
  await using folder = await temporaryFolder();
  execFileSync('git', ['init', '--quiet', folder.path]);
  if (remote !== undefined) execFileSync('git', ['-C', folder.path, 'remote', 'add', 'origin', remote]);
  for (const name of folders) await mkdir(folder.file(name));
  expect(detectForge(folder.path)).toBe(forge);
});

test('lintel init detects no Git host for a folder without a repository and for a missing folder', async () => {
  await using folder = await temporaryFolder();
  expect([detectForge(folder.path), detectForge(folder.file('new'))]).toEqual([undefined, undefined]);
});
