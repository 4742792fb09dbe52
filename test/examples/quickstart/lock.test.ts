/** The catalog beside the quickstart is what its servers offer: one of SDK version 1 with sessions, one of 2 without. */
import { expect, test } from 'vitest';
import { PROGRAM, ROOT, run } from '../../support/process.ts';
import { startServer } from './running-server.ts';

test('lintel.lock.json is up to date, and with it the specs have one finding, which is meant', async () => {
  const notes = await startServer('notes.mjs');
  const climate = await startServer('climate.mjs');
  const cwd = `${ROOT}/examples/quickstart`;
  try {
    const urls = ['--url', `notes=${notes.url}`, '--url', `climate=${climate.url}`];
    expect(await run(PROGRAM.lintel, ['lock', 'specs', '--check', ...urls], { cwd })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'lintel: lintel.lock.json is up to date\n',
    });
  } finally {
    await Promise.all([notes.stop(), climate.stop()]);
  }
  // Whoever reaches the port of this machine may write a note: that is what the quickstart is for.
  const { code, stdout } = await run(PROGRAM.lintel, ['check', 'specs', '--format', 'compact'], { cwd });
  expect([code, stdout.match(/LNT\d{4}.*/g)]).toEqual([
    0,
    [expect.stringMatching(/^LNT4001.* anonymous callers reach 1 tool not known to be read-only: "notes_write"/)],
  ]);
});
