/** The quickstart's tool lock matches its servers: one with SDK version 1 and sessions, one with version 2 and without. */
import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { UNLOCKED } from '../../e2e/specs.ts';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, temporaryFolder } from '../../support/process.ts';
import { startServer } from './running-server.ts';

test('the tool lock of the quickstart example is up to date', async () => {
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

test('the specs of the quickstart example have no findings, because intended findings are suppressed with their reasons', async () => {
  // From the root of the repository, as in the README, and from the folder of the lock.
  const fromRoot = await runLintel(['check', 'examples/quickstart/specs'], { cwd: ROOT });
  expect(fromRoot).toEqual({
    code: 0,
    stdout: 'no findings in 1 file (2 objects checked); 2 findings suppressed\n',
    stderr: 'lintel: using examples/quickstart/lintel.lock.json\n',
  });
  const beside = await runLintel(['check', 'specs'], { cwd: `${ROOT}/examples/quickstart` });
  expect(beside).toEqual({ ...fromRoot, stderr: '' });

  // A copy without the lock, like the quickstart when a port is taken: without a lock no setting counts as unused.
  await using copy = await temporaryFolder();
  await cp(`${ROOT}/examples/quickstart/specs`, copy.file('specs'), { recursive: true });
  expect(await runLintel(['check', 'specs'], { cwd: copy.path })).toEqual({
    code: 0,
    stdout: `no findings in 1 file (2 objects checked)\n${UNLOCKED}`,
    stderr: '',
  });
});
