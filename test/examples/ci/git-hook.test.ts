/** The git hook of `examples/ci`, run by real commits. */
import { copyFile, rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { copyExample, type Example } from './example.ts';

const GATEWAY = 'specs/gateway.yaml';
const MISSPELL = [GATEWAY, 'conflictResolution: prefix', 'conflictResolution: prefics'] as const;
const CORRECT = [GATEWAY, 'conflictResolution: prefics', 'conflictResolution: prefix'] as const;

test('the git hook of the CI example accepts commits of valid specs, also the first commit of a repository', async () => {
  await using example = await repositoryWithHook();
  expect(await commitsOf(example)).toBe(1);
  await example.edit(GATEWAY, 'filter: [query]', 'filter: [query, delete]');
  expect(await git(example, 'commit', '-qam', 'More metrics')).toMatchObject({ code: 0 });
  expect(await commitsOf(example)).toBe(2);
});

test('the git hook of the CI example refuses a commit of a bad spec and prints the line', async () => {
  await using example = await repositoryWithHook();
  await example.edit(...MISSPELL);
  // `-a` and a path commit from an index of their own.
  for (const what of ['-a', GATEWAY]) {
    const { code, stdout, stderr } = await git(example, 'commit', '-qm', 'Misspell', what);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(' --> specs/gateway.yaml:12:27\n');
    expect(stderr).toMatch(/\npre-commit: nothing was committed: lintel check .* exit code 1\n$/);
  }
  expect(await commitsOf(example)).toBe(1);
});

test('the git hook of the CI example checks the staged version of each file, and not the version in the working folder', async () => {
  await using example = await repositoryWithHook();
  await example.edit(...MISSPELL);
  await git(example, 'add', '.');
  await example.edit(...CORRECT);
  expect(await git(example, 'commit', '-qm', 'Bad in the index')).toMatchObject({ code: 1 });
  await git(example, 'add', '.');
  await example.edit(GATEWAY, 'filter: [query]', 'filter: [query, delete]');
  await git(example, 'add', '.');
  await example.edit(...MISSPELL);
  expect(await git(example, 'commit', '-qm', 'Good in the index')).toMatchObject({ code: 0 });
});

test('the git hook of the CI example reads the staged versions of lintel.yaml, the baseline and the tool lock', async () => {
  await using example = await repositoryWithHook();
  const files = ['lintel.yaml', 'lintel-baseline.json', 'lintel.lock.json'];
  for (const name of files) {
    await example.repository.write({ [name]: '[\n' });
    await git(example, 'add', name);
    const { code, stdout, stderr } = await git(example, 'commit', '-qm', 'Break it');
    expect([name, code]).toEqual([name, 1]);
    expect(stdout + stderr).toContain(` --> ${name}:`);
    await git(example, 'rm', '-qf', name);
  }
});

test.each([
  ['baseline', 'known/findings.json'],
  ['catalog', 'locks/täglich offered.json'],
])('the git hook of the CI example uses a staged %s whose path lintel.yaml names', async (key, file) => {
  await using example = await repositoryWithHook();
  const sound =
    key === 'baseline' ? '{ "formatVersion": 1, "findings": [] }' : '{ "lockfileVersion": 1, "backends": {} }';
  await example.repository.write({ 'lintel.yaml': `${key}: "./${file}"\n`, [file]: `${sound}\n` });
  await git(example, 'add', '.');
  expect(await git(example, 'commit', '-qm', 'Name it')).toMatchObject({ code: 0 });

  await example.repository.write({ [file]: '[\n' });
  const { code, stdout, stderr } = await git(example, 'commit', '-qam', 'Break it');
  expect(code).toBe(1);
  expect(stdout + stderr).toContain(` --> ${file}:`);
  await git(example, 'reset', '-q', '--hard');
  await git(example, 'rm', '-q', file);
  // A missing baseline counts as empty; a catalog that is named has to exist.
  expect(await git(example, 'commit', '-qm', 'Remove it')).toMatchObject({ code: key === 'baseline' ? 0 : 1 });
});

test('the git hook of the CI example refuses to delete a spec that another spec needs', async () => {
  await using example = await repositoryWithHook();
  await rm(example.repository.file('specs/backends/docs.yaml'));
  const { code, stdout, stderr } = await git(example, 'commit', '-qam', 'Delete');
  expect(code).toBe(1);
  expect(stdout + stderr).toContain('no backend of this gateway is named "docs"');
});

test('the git hook of the CI example passes a commit that changes no specs, or that deletes the last spec', async () => {
  await using example = await repositoryWithHook();
  await example.edit(...MISSPELL);
  await git(example, 'commit', '-qam', 'Past the hook', '--no-verify');
  await example.repository.write({ 'notes.md': 'Notes.\n' });
  await git(example, 'add', 'notes.md');
  expect(await git(example, 'commit', '-qm', 'Notes')).toMatchObject({ code: 0 });
  await rm(example.repository.file('specs'), { recursive: true });
  expect(await git(example, 'commit', '-qam', 'No specs')).toMatchObject({ code: 0 });
});

test('the git hook of the CI example refuses specs if lintel is not installed', async () => {
  await using example = await repositoryWithHook();
  await rm(example.repository.file('node_modules'), { recursive: true });
  await example.edit(GATEWAY, 'filter: [query]', 'filter: [query, delete]');
  const { code, stderr } = await git(example, 'commit', '-qam', 'More metrics');
  expect(code).toBe(1);
  expect(stderr).toMatch(/exit code 127\n$/);
});

/** The example with its hook, and one commit that passed it. */
async function repositoryWithHook(): Promise<Example> {
  const example = await copyExample();
  const { repository } = example;
  await git(example, 'init', '-q');
  await copyFile(repository.file('pre-commit'), repository.file('.git/hooks/pre-commit'));
  await git(example, 'add', '.');
  expect(await git(example, 'commit', '-qm', 'Start')).toMatchObject({ code: 0 });
  return example;
}

function git({ shell }: Example, ...args: string[]) {
  return shell(['git', ...args]);
}

async function commitsOf(example: Example): Promise<number> {
  return Number((await git(example, 'rev-list', '--count', 'HEAD')).stdout);
}
