/** `lintel init` in real folders: its files pass the check, and existing files stay. */
import { execFileSync } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const NEXT = `
Next:
  put the URL of your server into specs/gateway.yaml
  npx lintel check  finds what is wrong, as CI does
  npx lintel lock   asks the servers what they offer, and writes it down
  npx lintel dev    serves the gateway, and follows your changes
`;

const FILES = ['specs/gateway.yaml', 'lintel.yaml', '.gitignore'];

function init(folder: TemporaryFolder, ...args: readonly string[]) {
  return runLintel(['init', ...args], { cwd: folder.path });
}

function checkIn(folder: TemporaryFolder) {
  return runLintel(['check', '--no-config', 'specs', '--fail-on', 'hint'], { cwd: folder.path });
}

async function texts(folder: TemporaryFolder, paths: readonly string[]): Promise<readonly string[]> {
  return Promise.all(paths.map(path => readFile(folder.file(path), 'utf8')));
}

test('`lintel init` in an empty folder without a terminal asks no question and writes specs that pass the check', async () => {
  await using folder = await temporaryFolder();
  const lines = FILES.map(file => `wrote ${file}\n`).join('');
  expect(await init(folder)).toEqual({ code: 0, stdout: lines + NEXT, stderr: '' });
  expect(await runLintel(['check'], { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' });
  // The user still has to fill in the URL of its server.
  const checked = await checkIn(folder);
  expect([checked.code, checked.stdout.match(/\[LNT\d+\]/g)]).toEqual([1, ['[LNT6026]']]);
  const built = await runLintel(['build', '--out', 'out'], { cwd: folder.path });
  expect(built).toMatchObject({ code: 0, stdout: expect.stringContaining('default/') });
});

test('`lintel init FOLDER` creates a missing folder, whose name becomes the name of the gateway', async () => {
  await using folder = await temporaryFolder();
  const { code, stdout } = await init(folder, 'Team Tools', '--yes', '--server', 'http://127.0.0.1:4501/mcp');
  expect([code, stdout]).toEqual([0, expect.stringContaining('wrote Team Tools/specs/gateway.yaml\n')]);
  expect(stdout).toContain("  cd 'Team Tools'\n");
  const [specs = ''] = await texts(folder, ['Team Tools/specs/gateway.yaml']);
  expect(specs).toContain('name: team-tools\n');
  expect(specs).toContain('url: http://127.0.0.1:4501/mcp\n');
  const outcome = await runLintel(['check'], { cwd: folder.file('Team Tools') });
  expect(outcome).toMatchObject({ code: 0 });
});

test('`lintel init` never overwrites existing files', async () => {
  await using folder = await temporaryFolder({
    'specs/gateway.yaml': '# mine\n',
    'lintel.yaml': 'sources: [specs]\n',
    '.gitignore': 'node_modules\n/.env\n',
    '.gitlab-ci.yml': 'test: { script: make }\n',
  });
  const files = [...FILES, '.gitlab-ci.yml'];
  const before = await texts(folder, files);
  const { code, stdout } = await init(folder);
  expect(code).toBe(0);
  expect(stdout.split('\n').slice(0, 4)).toEqual([
    'specs exists and is left as it is: `lintel import` adds servers of a client',
    'lintel.yaml exists and is left as it is',
    '.gitignore exists and is left as it is; it does not have *mcp.json.backup*, .schemas/, out/',
    '.gitlab-ci.yml exists and is left as it is',
  ]);
  expect(await texts(folder, files)).toEqual(before);
});

test('`lintel init` names `git init` as a next step only if there is no repository yet', async () => {
  await using folder = await temporaryFolder();
  const { stdout } = await init(folder, '--yes', '--ci', 'gitlab');
  expect(stdout).toMatch(/\nNext:\n {2}git init +GitLab runs the check once this is a repository there\n/);
  execFileSync('git', ['init', '--quiet', folder.path]);
  expect((await init(folder, '--yes', '--ci', 'gitlab')).stdout).not.toContain('git init');
});

test('a second run of `lintel init` changes nothing', async () => {
  await using folder = await temporaryFolder();
  await init(folder, '--ci', 'github');
  const files = [...FILES, '.github/workflows/lintel.yml'];
  const before = await texts(folder, files);
  expect(await init(folder, '--name', 'other', '--ci', 'github')).toMatchObject({ code: 0 });
  expect(await texts(folder, files)).toEqual(before);
});

const GITHUB = '.github/workflows/lintel.yml';
const GITLAB = '.gitlab-ci.yml';
const GITEA = '.gitea/workflows/lintel.yml';

test('`lintel init --ci github` writes the check job of examples/ci for pull requests and pushes, and the command of the job succeeds', async () => {
  await using folder = await temporaryFolder();
  await init(folder, '--ci', 'github');
  const [text = ''] = await texts(folder, [GITHUB]);
  const example = parse(await readFile(join(ROOT, 'examples/ci/github-actions.yml'), 'utf8'));
  const { pull_request, push } = example.on;
  const { check } = example.jobs;
  expect(parse(text)).toEqual({ ...example, on: { pull_request, push }, jobs: { check } });
  // Other steps run where they apply.
  const steps: readonly { readonly run?: string; readonly if?: string }[] = check.steps;
  await expectRun(
    folder,
    steps.filter(step => step.if === undefined).flatMap(step => step.run ?? []),
  );
});

test('`lintel init --ci gitlab` writes the jobs of examples/ci, and the command of the check succeeds', async () => {
  await using folder = await temporaryFolder();
  await init(folder, '--ci', 'gitlab');
  const [text = ''] = await texts(folder, [GITLAB]);
  const example = parse(await readFile(join(ROOT, 'examples/ci/gitlab-ci.yml'), 'utf8'));
  const { '.lintel': common, lintel, 'lintel-workflows': workflows } = example;
  expect(workflows.rules.map((rule: { exists?: unknown }) => rule.exists)).not.toContain(undefined);
  expect(parse(text)).toEqual({ '.lintel': common, lintel, 'lintel-workflows': workflows });
  await expectRun(folder, lintel.script);
});

test('`lintel init --ci gitea` writes the job of examples/ci, and its commands succeed', async () => {
  await using folder = await temporaryFolder();
  await init(folder, '--ci', 'gitea');
  const [text = ''] = await texts(folder, [GITEA]);
  const example = parse(await readFile(join(ROOT, 'examples/ci/gitea-actions.yml'), 'utf8'));
  expect(parse(text)).toEqual(example);
  await using ofForgejo = await temporaryFolder({ '.forgejo/CODEOWNERS': '' });
  expect((await init(ofForgejo, '--yes')).stdout).toContain('wrote .forgejo/workflows/lintel.yml\n');
  const steps: readonly { readonly run?: string; readonly if?: string }[] = example.jobs.check.steps;
  await expectRun(
    folder,
    steps.filter(step => step.if === undefined).flatMap(step => step.run ?? []),
  );
});

async function expectRun(folder: TemporaryFolder, lines: readonly string[]): Promise<void> {
  const commands = lines.filter(line => line.startsWith('npx --no -- lintel '));
  expect(commands).toHaveLength(1);
  for (const command of commands) {
    const args = command.trim().split(/\s+/).slice(4);
    expect(await runLintel(args, { cwd: folder.path })).toMatchObject({ code: 0 });
  }
}

test('`lintel init` writes no CI job below the root of a repository', async () => {
  await using folder = await temporaryFolder();
  execFileSync('git', ['init', '--quiet', folder.path]);
  execFileSync('git', ['-C', folder.path, 'remote', 'add', 'origin', 'git@github.com:team/tools.git']);
  const { code, stdout } = await init(folder, 'gateways');
  expect([code, stdout]).toEqual([0, expect.not.stringContaining('.github')]);
  const refused = await init(folder, 'more', '--ci', 'github');
  expect(refused).toEqual({
    code: 2,
    stdout: '',
    stderr: 'lintel: --ci: forges read the root of a repository only: run it there, or leave --ci out\n',
  });
});

const KEY = 'sk1234567890abcdef';

test.each<[what: string, args: readonly string[], message: string]>([
  ['a file in place of a folder', ['a.txt'], 'a.txt is a file: give a folder, which may be a new one'],
  [
    'an invalid name of a gateway',
    ['--name', 'My Tools'],
    '--name: a name has small letters, digits and hyphens, begins with a letter, and is no longer than 40 characters',
  ],
  ['an invalid URL', ['--server', 'mcp.example.com'], '--server: its URL is not a complete one of http or https'],
  [
    'a URL with a key in its path',
    ['--server', `https://mcp.example.com/${KEY}/mcp`],
    '--server: a part of the path of its URL looks like a key',
  ],
  [
    'a URL that no gateway contacts',
    ['--server', 'http://169.254.169.254/mcp'],
    '--server: remoteUrl points to "169.254.169.254", which a gateway never contacts (LNT6010)',
  ],
])('`lintel init` exits with code 2 for %s and writes no file', async (_, args, message) => {
  await using folder = await temporaryFolder({ 'a.txt': '' });
  expect(await init(folder, ...args)).toEqual({ code: 2, stdout: '', stderr: `lintel: ${message}\n` });
  await expect(readFile(folder.file('lintel.yaml'))).rejects.toThrow('ENOENT');
});

test('`lintel init` does not write through a broken link', async () => {
  await using folder = await temporaryFolder();
  await symlink('nowhere/lintel.yaml', folder.file('lintel.yaml'));
  const { code, stderr } = await init(folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining('is a link to nothing')]);
});
