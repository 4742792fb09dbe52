import { expect, test } from 'vitest';
import { start, temporaryFolder } from '../support/process.ts';

/** Starts a process that holds its streams and ignores SIGTERM. */
const PARENT = `
import { spawn } from 'node:child_process';
process.on('SIGTERM', () => {});
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
console.log(JSON.stringify({ pid: child.pid }));
setInterval(() => {}, 1000);
`;

test('the test helper for programs waits for no process that an ended program has left behind', async () => {
  await using folder = await temporaryFolder({ 'parent.mjs': PARENT });
  let pid = 0;
  try {
    await using program = start(folder.file('parent.mjs'), []);
    ({ pid } = await program.announcement<{ readonly pid: number }>());
  } finally {
    // The process was running all the time, otherwise this throws.
    expect(process.kill(pid, 'SIGKILL')).toBe(true);
  }
});
