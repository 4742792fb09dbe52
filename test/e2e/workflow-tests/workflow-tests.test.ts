/** `lintel test` as a process: its output for tests that pass, fail and have errors, and its exit codes. */
import { cp, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectGolden } from '../../support/golden.ts';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const EXAMPLE = join(ROOT, 'examples/workflows');
const TESTS = join(import.meta.dirname, 'tests');

/** The example's gateway with its lock, and these test files. */
async function project(...tests: readonly string[]): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await cp(join(EXAMPLE, 'specs/release-desk.yaml'), folder.file('specs/release-desk.yaml'), { recursive: true });
  await cp(join(EXAMPLE, 'lintel.lock.json'), folder.file('lintel.lock.json'));
  for (const name of tests) {
    const from = name === 'release' ? join(EXAMPLE, 'specs') : TESTS;
    await cp(join(from, `${name}.test.yaml`), folder.file(`specs/${name}.test.yaml`));
  }
  return folder;
}

const lintel = (folder: TemporaryFolder, ...args: readonly string[]) =>
  runLintel(['test', ...args], { cwd: folder.path });

test('`lintel test` prints the line of every failed expectation and every mistake, in each format', async () => {
  await using folder = await project('failures', 'mistakes', 'schema', 'names', 'gateway');
  const texts = new Map<string, string>();
  for (const format of ['pretty', 'compact', 'junit', 'json']) {
    const { code, stdout, stderr } = await lintel(folder, 'specs', '--all', '--format', format);
    expect([code, stderr], format).toEqual([1, '']);
    texts.set(`${format}.txt`, stdout);
  }
  expectGolden(join(import.meta.dirname, 'expected'), texts);
});

describe('which tests are run', () => {
  const PASSED = '7 tests: 7 passed\n';

  test.each<[what: string, args: readonly string[]]>([
    ['a folder', ['specs']],
    ['a spec', ['specs/release-desk.yaml']],
    ['a test file with the specs of its folder', ['specs/release.test.yaml']],
    ['a test file and a spec', ['specs/release.test.yaml', 'specs/release-desk.yaml']],
  ])('`lintel test` runs the tests of %s', async (_, args) => {
    await using folder = await project('release');
    const { code, stdout } = await lintel(folder, ...args);
    expect(stdout.endsWith(PASSED), stdout).toBe(true);
    expect(code).toBe(0);
  });

  test('`lintel test` without paths runs the tests in the `sources` of lintel.yaml, except those in excluded files', async () => {
    await using folder = await project('release', 'failures');
    await folder.write({ 'lintel.yaml': 'sources: [specs]\nexclude: [specs/failures.test.yaml]\n' });
    expect(await lintel(folder)).toMatchObject({ code: 0, stdout: expect.stringMatching(/7 tests: 7 passed\n$/) });
  });

  test('`lintel test` reads a spec in a file named *.test.yaml as a spec', async () => {
    await using folder = await project('release');
    await rename(folder.file('specs/release-desk.yaml'), folder.file('specs/desk.test.yaml'));
    const { code, stdout } = await lintel(folder, 'specs');
    expect([code, stdout.endsWith(PASSED)], stdout).toEqual([0, true]);
    expect(await lintel(folder, 'specs/desk.test.yaml')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no *.test.yaml with tests in specs/desk.test.yaml'),
    });
  });
});

test.each<
  [what: string, files: { readonly [path: string]: string }, args: readonly string[], code: number, text: string]
>([
  ['no tests', {}, ['specs/release-desk.yaml'], 2, 'there is no *.test.yaml with tests in specs/release-desk.yaml'],
  ['a path that does not exist', {}, ['specs/none.test.yaml'], 2, 'no such file or folder: specs/none.test.yaml'],
  [
    'too low a coverage',
    { 'specs/one.test.yaml': 'workflow: release\ntests:\n  - name: a\n    input: { version: 1.4.0, milestone: a }\n' },
    ['specs', '--min-coverage', '90'],
    1,
    'LNT7034',
  ],
  [
    'an error in the specs',
    {
      'specs/broken.yaml': 'apiVersion: lintel.dev/v1beta1\nkind: MCPGrup\nmetadata: { name: a }\n',
      'specs/one.test.yaml': 'workflow: release\ntests:\n  - name: a\n',
    },
    ['specs'],
    1,
    'LNT1007',
  ],
  ['an invalid --min-coverage', {}, ['specs', '--min-coverage', '101'], 2, 'whole number from 0 to 100'],
])('`lintel test` exits with the documented code for %s', async (_, files, args, code, text) => {
  await using folder = await project();
  await folder.write(files);
  const outcome = await lintel(folder, ...args);
  expect(outcome.code, `${outcome.stdout}${outcome.stderr}`).toBe(code);
  expect(`${outcome.stdout}${outcome.stderr}`).toContain(text);
});

test('the coverage of `lintel test` names each branch of a workflow that no test takes, such as that of a person who declines', async () => {
  await using folder = await project('release');
  const text = await readFile(folder.file('specs/release.test.yaml'), 'utf8');
  const first = text.slice(0, text.indexOf('  - name: publishes nothing'));
  await folder.write({ 'specs/release.test.yaml': first });
  const { stdout } = await lintel(folder, 'specs');
  expect(stdout.match(/(?<=with a )[^:]*(?=: specs)/g)).toEqual([
    'further attempt',
    'person who declines',
    'person who cancels',
    'failure after which the workflow goes on',
  ]);
});

test.each<[what: string, text: string, code: string]>([
  ['is not YAML', 'workflow: release\ntests: [ { name: a\n', 'LNT1001'],
  ['has no tests', 'workflow: release\ntestz: []\n', 'LNT1003'],
  ['has two documents', 'workflow: release\ntests: []\n---\na: 1\n', 'LNT1004'],
])('`lintel test` reports a file that %s as failed, and runs the tests of other files', async (_, text, code) => {
  await using folder = await project('release');
  await folder.write({ 'specs/broken.test.yaml': text });
  for (const path of ['specs', 'specs/release.test.yaml']) {
    const isNamed = path === 'specs';
    const { code: exit, stdout } = await lintel(folder, path);
    expect([exit, stdout.includes(code)], stdout).toEqual(isNamed ? [1, true] : [0, false]);
    expect(stdout.includes('specs/broken.test.yaml\n  FAILED  the whole file\n')).toBe(isNamed);
    expect(stdout).toContain(isNamed ? '8 tests: 7 passed, 1 failed\n' : '7 tests: 7 passed\n');
  }
});

const ONE_TEST = 'workflow: release\ntests:\n  - name: a\n';
const OBJECT = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';

test.each<[what: string, file: string, text: string, message: string]>([
  [
    'tests in a file that also has objects',
    'mixed.test.yaml',
    `${OBJECT}---\n${ONE_TEST}`,
    'LNT1004] wrong-type: these tests are not run, because the file also has objects\n --> specs/mixed.test.yaml:6:1',
  ],
  [
    'tests with an API version',
    'kind.test.yaml',
    `apiVersion: tests.example.com/v1\nkind: WorkflowTest\n${ONE_TEST}`,
    'these tests are not run, because the file also has objects',
  ],
  [
    'tests in a file of another name',
    'release-test.yaml',
    ONE_TEST,
    'LNT1004] wrong-type: these tests are not run, because the name of the file does not end in .test.yaml\n --> specs/release-test.yaml:2:1',
  ],
  [
    'a test file with only a comment',
    'empty.test.yaml',
    '# workflow: release\n',
    'LNT1010] missing-field: the file has no tests: write tests, or delete the file\n --> specs/empty.test.yaml:1:1',
  ],
])('`lintel test` fails for %s, and still runs the tests of other files', async (_, file, text, message) => {
  await using folder = await project('release');
  await folder.write({ [`specs/${file}`]: text });
  const { code, stdout } = await lintel(folder, 'specs');
  expect([code, stdout.includes(message), /[78] tests: 7 passed/.test(stdout)], stdout).toEqual([1, true, true]);
});

test('`lintel test` names a tool that a workflow calls and that is not in the tool lock', async () => {
  await using folder = await project('release');
  const { code, stdout } = await lintel(folder, 'specs', '--catalog', 'none.json');
  expect([code, stdout]).toEqual([2, '']);
  await folder.write({ 'empty.json': '{ "lockfileVersion": 1, "backends": {} }\n' });
  const unlocked = await lintel(folder, 'specs', '--catalog', 'empty.json');
  expect(unlocked.code).toBe(1);
  expect(unlocked.stdout).toContain(
    'step "search" of "release" calls "tracker.search_issues", which is not in the tool lock',
  );
});

test('`lintel check` reports nothing about *.test.yaml files with workflow tests', async () => {
  await using folder = await project('release', 'failures', 'mistakes');
  const { code, stdout } = await runLintel(['check', 'specs', '--language-only'], { cwd: folder.path });
  expect([code, stdout.includes('.test.yaml')]).toEqual([0, false]);
});
