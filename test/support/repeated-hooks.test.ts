/** What Vitest does with a test file whose `beforeAll` fails, if it repeats tests that fail. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, run, temporaryFolder } from './process.ts';

const RUNNER = JSON.stringify(join(import.meta.dirname, 'runner.ts'));

/** Runs a file whose hook fails the first `failures` times. */
async function runFile(hook: 'beforeAll' | 'afterAll', failures: number, retry: number) {
  const text = `
import { ${hook}, test } from 'vitest';
let runs = 0;
${hook}(() => {
  if (runs++ < ${failures}) throw new Error('not ready');
  return () => console.log('cleaned up');
});
test('is run', () => {});
`;
  const settings = `export default { test: { retry: ${retry}, runner: ${RUNNER} } };`;
  await using folder = await temporaryFolder({ 'hook.test.mjs': text, 'vitest.config.mjs': settings });
  await symlink(join(ROOT, 'node_modules'), folder.file('node_modules'));
  return await run(join(ROOT, 'node_modules/vitest/vitest.mjs'), ['run'], { cwd: folder.path, env: { NO_COLOR: '1' } });
}

test.each(['beforeAll', 'afterAll'] as const)(
  'a %s hook that fails once runs once more, and the test run says so',
  async hook => {
    const { code, stdout, stderr } = await runFile(hook, 1, 1);
    expect(stderr).toContain(`${hook} of hook.test.mjs failed, and runs once more: Error: not ready`);
    expect(stdout).toContain('1 passed');
    expect(code).toBe(0);
  },
);

test('the clean-up function that a repeated beforeAll returns is called', async () => {
  expect((await runFile('beforeAll', 1, 1)).stdout).toContain('cleaned up');
});

test.each([
  ['twice', 2, 1],
  ['once without retries', 1, 0],
])('a hook that fails %s fails its test file', async (_, failures, retry) => {
  expect((await runFile('beforeAll', failures, retry)).code).toBe(1);
  expect((await runFile('afterAll', failures, retry)).code).toBe(1);
});
