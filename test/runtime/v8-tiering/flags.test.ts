/** V8's flags change with its versions; an unknown one prints an error at each start. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

test('V8 accepts the flags that the runtime sets at its start', async () => {
  const { stderr } = await run(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    'runtime/tuning/start-tiering.ts',
  ]);
  expect(stderr).toBe('');
});

test('V8 reports an unknown flag', async () => {
  const { stderr } = await run(process.execPath, ['-e', "require('node:v8').setFlagsFromString('--no-such-flag=1')"]);
  expect(stderr).toContain('--no-such-flag');
});
