/** Messages of the controller without a cluster name its options, because there is no GatewaySource. */
import { mkdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gatewayFile } from '../../support/gateway-specs.ts';
import { TestRepository } from '../../support/git-repository.ts';
import { PROGRAM, run, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

let folder: TemporaryFolder;
let repository: TestRepository;

beforeAll(async () => {
  folder = await temporaryFolder();
  repository = new TestRepository(folder.path, 'specs.git');
  repository.commit({ 'team/specs/eng.yaml': gatewayFile('eng') });
});
afterAll(() => folder[Symbol.asyncDispose]());

const once = (args: readonly string[], cwd = folder.path) =>
  run(PROGRAM.controller, ['--standalone', '--once', '--out', folder.file('out'), '--state-dir', 'state', ...args], {
    cwd,
  });

const message = () => JSON.parse(readFileSync(folder.file('out/status.json'), 'utf8')).message as string;

test.each<[args: readonly string[], message: string]>([
  [['--path', 'nowhere'], 'no file is at this path; correct --path, or commit the folder'],
  [['--path', 'team/spec'], 'no file is at this path (did you mean team/specs?); correct --path, or commit the folder'],
  [['--path', 'specs'], 'no file is at this path (did you mean team/specs?); correct --path, or commit the folder'],
  [['--path', '../..'], 'lintel-controller: --path is not a path of a folder in the repository; correct the options'],
  [['--branch', 'next'], 'it has no branch "next"; correct --branch, --tag, --semver or --commit, or create the ref'],
  [['--semver', 'newest'], '--semver is not a range of versions; correct the options'],
  [['--semver', '^2.0.0'], 'it has no tag with a version in the range of --semver'],
])('a standalone controller exits with code 1 and names the option to correct: %j', async (args, expected) => {
  const { code } = await once(['--repo', repository.path, ...args]);
  expect(code).toBe(1);
  expect(message()).toContain(expected);
  expect(readFileSync(folder.file('out/status.json'), 'utf8')).not.toMatch(/spec\.|GatewaySource/);
});

test('a standalone controller exits with code 1 when --repo names a folder that does not exist', async () => {
  const { code } = await once(['--repo', folder.file('nothing.git')]);
  expect(code).toBe(1);
  expect(message()).toContain('correct --repo, and check whether --git-secret may read the repository');
});

test('`--once` logs its result exactly once, in the first run and in a second run with the same result', async () => {
  const out = ['--out', folder.file('once')];
  const count = async (args: readonly string[], text: string) => {
    const { stdout, stderr } = await once([...out, ...args]);
    return `${stdout}${stderr}`.split('\n').filter(line => line.includes(text)).length;
  };
  for (const run of ['first', 'second']) {
    const missing = ['--repo', folder.file('missing.git')];
    expect(await count(missing, 'check whether --git-secret may read the repository'), `${run} failure`).toBe(1);
  }
  for (const run of ['first', 'second']) {
    expect(await count(['--repo', repository.path], '"msg":"applied '), `${run} success`).toBe(1);
  }
});

test('the error for --repo with a subfolder of a repository names the --repo and --path to write instead', async () => {
  repository.git(['clone', '--quiet', repository.path, folder.file('checkout')]);
  mkdirSync(folder.file('checkout/team/empty'));
  for (const [args, cwd, path] of [
    [['--repo', '.', '--path', 'specs'], 'checkout/team', 'team/specs'],
    [['--repo', 'team'], 'checkout', 'team'],
  ] as const) {
    const { code, stderr } = await once(args, folder.file(cwd));
    expect(code).toBe(2);
    const root = folder.file('checkout');
    expect(stderr).toContain(`it is a folder of the repository ${root}; write --repo ${root} --path ${path}\n`);
    expect((await once(['--repo', root, '--path', path])).code).toBe(0);
  }
});
