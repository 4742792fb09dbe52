/** The catalog next to the quickstart is what its servers offer: one of SDK version 1 with sessions, one of 2 without. */
import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { UNLOCKED } from '../../e2e/specs.ts';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, temporaryFolder } from '../../support/process.ts';
import { startServer } from './running-server.ts';

test('lintel.lock.json is up to date', async () => {
  const notes = await startServer('notes.mjs');
  const climate = await startServer('climate.mjs');
  const cwd = `${ROOT}/examples/quickstart`;
  try {
    const urls = ['--url', `notes=${notes.url}`, '--url', `climate=${climate.url}`];
    expect(await runLintel(['lock', 'specs', '--check', ...urls], { cwd })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'lintel: lintel.lock.json is up to date\n',
    });
  } finally {
    await Promise.all([notes.stop(), climate.stop()]);
  }
});

test('the specs are without findings: those that are meant are suppressed with their reasons', async () => {
  // From the root of the repository, as the README says, and from next to the lock.
  const fromRoot = await runLintel(['check', 'examples/quickstart/specs'], { cwd: ROOT });
  expect(fromRoot).toEqual({
    code: 0,
    stdout: 'no findings in 1 file (2 objects checked); 2 findings suppressed\n',
    stderr: 'lintel: using examples/quickstart/lintel.lock.json\n',
  });
  const beside = await runLintel(['check', 'specs'], { cwd: `${ROOT}/examples/quickstart` });
  expect(beside).toEqual({ ...fromRoot, stderr: '' });

  // A copy without the lock, as the quickstart serves where a port is taken: nothing is known, so nothing is unused.
  await using copy = await temporaryFolder();
  await cp(`${ROOT}/examples/quickstart/specs`, copy.file('specs'), { recursive: true });
  expect(await runLintel(['check', 'specs'], { cwd: copy.path })).toEqual({
    code: 0,
    stdout: `no findings in 1 file (2 objects checked)\n${UNLOCKED}`,
    stderr: '',
  });
});
