/** The runtime starts before anything was built: with `--watch` it waits. */
import { rename } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { PROGRAM, start } from '../../support/process.ts';
import { type Announcement, buildInto, FREE_PORTS } from '../served.ts';
import { CLEAN } from '../specs.ts';

const WAITS = /later: (?:no such|found neither).*; waiting until the bundle exists, and serving nothing yet/;

test.each([
  ['the whole folder', '.'],
  ['the content of the folder', 'later'],
])('the runtime with --watch waits for its bundle and serves it when %s is created later', async (_, made) => {
  await using folder = await buildInto(CLEAN);
  await folder.write({ [`${made}/README.md`]: '' });
  await using runtime = start(PROGRAM.runtime, ['--bundle', 'later', '--watch', ...FREE_PORTS], { cwd: folder.path });
  await runtime.stderr.next(WAITS);
  if (made === '.') await rename(folder.file('out'), folder.file('later'));
  else {
    await rename(folder.file('out/bundles'), folder.file('later/bundles'));
    await rename(folder.file('out/index.json'), folder.file('later/index.json'));
  }
  expect((await runtime.announcement<Announcement>()).gateway).toBe('default/eng');
});

test('the runtime verifies a bundle that arrives later like any other bundle', async () => {
  await using folder = await buildInto(CLEAN);
  await using runtime = start(PROGRAM.runtime, ['--bundle', 'later', '--watch', ...FREE_PORTS], { cwd: folder.path });
  await runtime.stderr.next(WAITS);
  await folder.write({ 'arriving/index.json': '{"formatVersion": 2}' });
  await rename(folder.file('arriving'), folder.file('later'));
  expect(await runtime.exitCode()).toBe(2);
  expect(runtime.stderr.text).toContain('index format 2 is not known');
});

test('a signal ends the runtime while it waits for a bundle', async () => {
  await using folder = await buildInto(CLEAN);
  await using runtime = start(PROGRAM.runtime, ['--bundle', 'later', '--watch', ...FREE_PORTS], { cwd: folder.path });
  await runtime.stderr.next(WAITS);
  runtime.kill('SIGTERM');
  expect(await runtime.exitCode()).toBe(0);
});
