/** Tests whose programs are missing are skipped with the reason, or fail where CI requires the programs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';

const RUN = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'vitest.config.ts',
  'test/examples/health/health.test.ts',
  '--no-color',
];

/** Runs a test file that needs Lua, without any program on PATH. */
async function runWithout(env: Readonly<Record<string, string>>) {
  const child = promisify(execFile)(process.execPath, RUN, {
    cwd: ROOT,
    env: { PATH: import.meta.dirname, NO_COLOR: '1', ...env },
  });
  return await child.then(
    ({ stdout }) => ({ failed: false, stdout }),
    (error: { stdout: string }) => ({ failed: true, stdout: error.stdout }),
  );
}

test('vitest skips the tests that need a missing program, and its last line counts them', async () => {
  const { failed, stdout } = await runWithout({});
  expect(failed).toBe(false);
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
    /^\d+ tests skipped: \d+ without lua \(apt-get install lua5\.1\)$/,
  );
});

test('the tests that need a missing program fail with LINTEL_REQUIRE_PEERS=1', async () => {
  const { failed, stdout } = await runWithout({ LINTEL_REQUIRE_PEERS: '1' });
  expect(failed).toBe(true);
  expect(stdout).not.toContain('tests skipped');
});
