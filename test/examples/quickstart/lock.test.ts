/** The catalog beside the quickstart is what its servers offer: one of SDK version 1 with sessions, one of 2 without. */
import { expect, test } from 'vitest';
import { PROGRAM, ROOT, run } from '../../support/process.ts';
import { startServer } from './running-server.ts';

test('lintel.lock.json is up to date, and the specs are clean with it', async () => {
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
  expect(await run(PROGRAM.lintel, ['check', 'specs', '--fail-on', 'hint'], { cwd })).toMatchObject({ code: 0 });
});
