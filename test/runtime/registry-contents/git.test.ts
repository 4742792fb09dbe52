/** How a registry server reads source files from Git repositories, with git itself. */
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RegistryOrigin } from '#schemas';
import { TestRepository } from '../../support/git-repository.ts';
import {
  createSources,
  findSourceStatus,
  listed,
  readContents,
  server,
  source,
  sourceFile,
  writeFolder,
} from './harness.ts';

async function repository() {
  const folder = await writeFolder();
  const made = new TestRepository(folder, 'servers.git');
  const from: RegistryOrigin = {
    type: 'git',
    repository: pathToFileURL(made.path).href,
    ref: { type: 'default' },
    path: 'registry.json',
    credentials: null,
  };
  const commit = (...servers: readonly object[]) => made.commit({ 'registry.json': sourceFile(...servers) });
  return { folder, made, from, commit };
}

test('the registry server lists the entries committed in Git, and keeps them listed while the repository is unavailable or the file is broken', async () => {
  const { folder, made, from, commit } = await repository();
  commit(server('io.example/a'));
  const stateDir = join(folder, 'state');
  const { contents } = await readContents([source(from)], { stateDir });
  expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
  const before = contents.snapshots;
  await contents.refresh();
  expect(contents.snapshots).toBe(before);
  commit(server('io.example/b'), server('io.example/a'));
  await contents.refresh();
  expect(listed(contents)).toEqual(['io.example/a@1.0.0', 'io.example/b@1.0.0']);
  const broken = commit({ name: 'broken' });
  await contents.refresh();
  expect(listed(contents)).toEqual(['io.example/a@1.0.0', 'io.example/b@1.0.0']);
  expect(findSourceStatus(contents).message).toContain(`registry.json at ${broken}: /data/servers/0`);
  await rename(made.path, `${made.path}-away`);
  await contents.refresh();
  expect(findSourceStatus(contents)).toMatchObject({ phase: 'failed', servers: 2, attempts: 2 });
  expect(findSourceStatus(contents).message).not.toContain('unexpected');
  await contents.close();
  const again = createSources([source(from)], { stateDir }).contents;
  await again.start();
  expect(listed(again)).toEqual(['io.example/a@1.0.0', 'io.example/b@1.0.0']);
});

test('the registry server leaves no files of a cloned Git repository behind, with and without a state folder', async () => {
  const { folder, from, commit } = await repository();
  commit(server('io.example/a'));
  const stateDir = join(folder, 'state');
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { contents } = await readContents([source(from)], { stateDir });
  const { contents: without } = await readContents([source(from)]);
  expect([listed(contents), listed(without)]).toEqual([['io.example/a@1.0.0'], ['io.example/a@1.0.0']]);
  expect([await readdir(join(stateDir, 'git')), await readdir(temporary)]).toEqual([[], []]);
});

test('the registry server reports a state folder that cannot be used for a Git repository', async () => {
  const { folder, from, commit } = await repository();
  commit(server('io.example/a'));
  await writeFile(join(folder, 'file'), '');
  const { contents } = await readContents([source(from)], { stateDir: join(folder, 'file') });
  expect(findSourceStatus(contents).message).toMatch(/file\/git: cannot be used \(ENOTDIR\)$/);
  vi.stubEnv('TMPDIR', join(folder, 'none'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const { contents: without } = await readContents([source(from)]);
  expect(findSourceStatus(without).message).toMatch(/cannot be used \(ENOENT\)$/);
});
