/** The three commands of docs/gitops.md, exactly as written: commit, swap, an error, still serving, and the fix. */
import { execFileSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StatusDocument } from '../../../controller/index.ts';
import { eventually, PROGRAM, ROOT, start, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';

const PAGE = await readFile(join(ROOT, 'docs/gitops.md'), 'utf8');
const [, commands = ''] = /^## Without a cluster$.*?```sh\n(.*?)```/ms.exec(PAGE) ?? [];
const [FOLLOW = '', SERVE = '', COMMIT = ''] = commands.trim().split('\n');

const LIMIT_MS = 15_000;

async function repository(): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await cp(join(ROOT, 'examples/quickstart/specs'), folder.file('specs'), { recursive: true });
  await folder.write({ '.gitignore': 'served/\n' });
  git(folder, 'git init --quiet --initial-branch main');
  git(folder, 'git add .');
  git(folder, 'git commit --quiet --message "Begin"');
  return folder;
}

/** Runs git as in a shell, with a name for commits. */
function git(folder: TemporaryFolder, command: string): void {
  const person = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' };
  const env = { PATH: process.env.PATH, HOME: folder.path, GIT_CONFIG_NOSYSTEM: '1', ...person, ...committer };
  execFileSync('sh', ['-c', command], { cwd: folder.path, env, stdio: 'pipe' });
}

function launched(folder: TemporaryFolder, command: string, program: string, more: readonly string[] = []) {
  const args = command.split(' ').slice(2);
  return start(program, [...args, ...more], { cwd: folder.path, env: { HOME: folder.path } });
}

async function statusOf(folder: TemporaryFolder): Promise<Partial<StatusDocument>> {
  return readFile(folder.file('served/status.json'), 'utf8').then(JSON.parse, () => ({}));
}

test('docs/gitops.md has exactly the commands that this test runs', () => {
  expect(FOLLOW).toMatch(/^npx lintel-controller --standalone /);
  expect(SERVE).toMatch(/^npx lintel-runtime /);
  expect(COMMIT).toMatch(/ git commit /);
});

test('a standalone controller serves a commit, goes on serving it when the next commit has a mistake, and then serves the correction', async () => {
  await using folder = await repository();
  // In the harder order: nothing can be served yet.
  await using runtime = launched(folder, SERVE, PROGRAM.runtime, FREE_PORTS);
  await runtime.stderr.next(/serving nothing yet/);
  await using controller = launched(folder, FOLLOW, PROGRAM.controller);
  const { digest: first, internal } = await runtime.announcement<Announcement>();
  const served = async () => {
    const page = (await (await fetch(`${internal}/status`)).json()) as { bundle: { digest: string } };
    return page.bundle.digest;
  };
  const commit = async (change: (text: string) => string) => {
    const file = folder.file('specs/quickstart.yaml');
    await writeFile(file, change(await readFile(file, 'utf8')));
    git(folder, 'git commit --quiet --all --message "Change a spec"');
  };

  git(folder, COMMIT);
  await eventually(async () => (await served()) !== first, LIMIT_MS);
  const second = await served();
  // The controller writes its status after the bundle, which the runtime may already serve.
  await eventually(async () => (await statusOf(folder)).gateways?.[0]?.digest === second, LIMIT_MS);
  expect((await statusOf(folder)).gateways).toMatchObject([{ digest: second, activeDigest: second }]);

  await commit(text => text.replace('\n      tools:\n', '\n      toolz:\n'));
  await eventually(async () => (await statusOf(folder)).conditions?.[0]?.reason === 'CompilationFailed', LIMIT_MS);
  const bad = await readFile(folder.file('served/status.json'), 'utf8');
  const [shown = ''] = bad.split('\n  "source"');
  expect(PAGE).toContain(`\`\`\`json\n${shown.replace(/main@sha1:[0-9a-f]{40}/, 'main@sha1:…')}\n\`\`\``);
  expect(JSON.parse(bad).diagnostics).toMatchObject([{ code: 'LNT1003', file: 'specs/quickstart.yaml', line: 45 }]);
  await controller.stderr.next(/specs\/quickstart\.yaml:45:7: error LNT1003/);
  expect(await served()).toBe(second);

  await commit(text => text.replace('toolz:', 'tools:').replace('Write a new note for everybody.', 'Write it down.'));
  await eventually(async () => ![first, second].includes(await served()), LIMIT_MS);
  await eventually(async () => (await statusOf(folder)).ready === true, LIMIT_MS);
  const status = await statusOf(folder);
  // The runtime does not report its health to the controller.
  expect(status.gatewaysReady).toBeUndefined();
  expect(status.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Applied', 'Compiled']);
});
