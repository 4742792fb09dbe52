import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eventually, isListening, PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { CLEAN } from '../specs.ts';

test('the runtime of `lintel dev` ends when `lintel dev` is killed', async () => {
  // A killed process cannot remove its files, so the test does.
  await using scratch = await temporaryFolder();
  await using folder = await temporaryFolder(CLEAN);
  await using lintel = start(PROGRAM.lintel, ['dev', folder.path, ...FREE_PORTS], { env: { TMPDIR: scratch.path } });
  const { url, internal } = await lintel.announcement<Announcement>();
  expect([await isListening(url), await isListening(internal)]).toEqual([true, true]);
  lintel.kill('SIGKILL');
  await eventually(async () => !(await isListening(url)) && !(await isListening(internal)));
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends `lintel dev` and its runtime, and removes the temporary folder',
  async signal => {
    await using scratch = await temporaryFolder();
    await using folder = await temporaryFolder(CLEAN);
    await using lintel = start(PROGRAM.lintel, ['dev', folder.path, ...FREE_PORTS], { env: { TMPDIR: scratch.path } });
    const { url } = await lintel.announcement<Announcement>();
    expect(await readdir(scratch.path)).toHaveLength(1);
    lintel.kill(signal);
    expect(await lintel.exitCode()).toBe(0);
    expect(await isListening(url)).toBe(false);
    expect(await readdir(scratch.path)).toEqual([]);
  },
);

test('`lintel dev` and its runtime exit with code 2 if the port is in use', async () => {
  await using folder = await temporaryFolder(CLEAN);
  await using first = start(PROGRAM.lintel, ['dev', folder.path, ...FREE_PORTS]);
  const { url } = await first.announcement<Announcement>();
  const { port } = new URL(url);
  const args = ['dev', folder.path, '--port', port, '--internal-address', '127.0.0.1:0'];
  await using second = start(PROGRAM.lintel, args);
  expect(await second.exitCode()).toBe(2);
  expect(second.stderr.text).toContain(`cannot listen on 127.0.0.1:${port}: the address is in use`);
});
