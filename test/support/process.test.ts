/** How a test fails, and what its message shows, if a program does not print what the test waits for. */
import { expect, test } from 'vitest';
import { start, temporaryFolder } from './process.ts';

test.each([
  ['by an exit code', 'process.exitCode = 3;', 'the program ended with exit code 3; stderr: no bundle'],
  ['by a signal', "process.kill(process.pid, 'SIGKILL');", 'the program ended by SIGKILL; stderr: no bundle'],
])(
  'the test helper for programs reports a program that ended %s before its announcement, with its stderr',
  async (_, end, message) => {
    await using folder = await temporaryFolder({
      'program.mjs': `process.stderr.write('no bundle', () => { ${end} });`,
    });
    await using program = start(folder.file('program.mjs'), []);
    await expect(program.announcement()).rejects.toThrow(message);
  },
);
