/** What becomes of a file whose `beforeAll` fails, where tests that fail run once more. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, run, temporaryFolder } from './process.ts';

const RUNNER = JSON.stringify(join(import.meta.dirname, 'runner.ts'));

/** Runs a file whose hook fails the first `failures` times. */
async function runFile(failures: number, retry: number) {
  const text = `
import { beforeAll, expect, test } from 'vitest';
let runs = 0;
beforeAll(() => {
  if (runs++ < ${failures}) throw new Error('not ready');
  return () => console.log('cleaned up');
});
test('is run', () => expect(runs).toBe(${failures + 1}));
`;
  const settings = `export default { test: { retry: ${retry}, runner: ${RUNNER} } };`;
  await using folder = await temporaryFolder({ 'hook.test.mjs': text, 'vitest.config.mjs': settings });
  await symlink(join(ROOT, 'node_modules'), folder.file('node_modules'));
  return await run(join(ROOT, 'node_modules/vitest/vitest.mjs'), ['run'], { cwd: folder.path, env: { NO_COLOR: '1' } });
}

test('a hook that fails once runs once more, the run says so, and its clean-up happens', async () => {
  const { code, stdout, stderr } = await runFile(1, 1);
  expect(stderr).toContain('beforeAll of hook.test.mjs failed, and runs once more: Error: not ready');
  expect(stdout).toContain('1 passed');
  expect(stdout).toContain('cleaned up');
  expect(code).toBe(0);
});

test.each([
  ['twice', 2, 1],
  ['once, where tests do not run again', 1, 0],
])('a hook that fails %s fails its file', async (_, failures, retry) => {
  expect((await runFile(failures, retry)).code).toBe(1);
});
