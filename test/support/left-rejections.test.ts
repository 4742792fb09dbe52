/** How an unhandled rejection affects a run. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT, run, type TemporaryFolder, temporaryFolder } from './process.ts';

const TEXT = `
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
let runs = 0;
test('fails at first, before it awaits what it stored', { retry: 1 }, async () => {
  const stored = runs++ === 0 ? Promise.reject(new Error('stored')) : Promise.resolve();
  await setTimeout(5);
  expect(runs).toBe(2);
  await stored;
});
test('passes, and has left a rejection', async () => {
  Promise.reject(new Error('left'));
});
test('passes, and has awaited a rejection too late', async () => {
  const stored = Promise.reject(new Error('late'));
  await setTimeout(5);
  await expect(stored).rejects.toThrow('late');
});
`;

const SETTINGS = `export default { test: { runner: ${JSON.stringify(join(import.meta.dirname, 'runner.ts'))} } };`;

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await temporaryFolder({ 'left.test.mjs': TEXT, 'vitest.config.mjs': SETTINGS });
  await symlink(join(ROOT, 'node_modules'), folder.file('node_modules'));
});

afterAll(() => folder[Symbol.asyncDispose]());

/** Runs the tests with these names. */
const runOf = (names: string) =>
  run(join(ROOT, 'node_modules/vitest/vitest.mjs'), ['run', '-t', names], { cwd: folder.path, env: { NO_COLOR: '1' } });

test('the test setup prints an unhandled rejection of a failed test attempt, and the run passes with the next attempt', async () => {
  const { code, stderr, stdout } = await runOf('fails at first');
  expect(stdout).toContain('1 passed');
  expect(stderr).toContain(
    'rejected in a test that failed, fails at first, before it awaits what it stored: Error: stored',
  );
  expect(code).toBe(0);
});

test('an unhandled rejection of a passing test fails the test run', async () => {
  const { code, stderr, stdout } = await runOf('passes');
  expect(stdout).toMatch(/2 passed[\s\S]*2 errors/);
  expect(stderr).toMatch(/Unhandled Rejection ⎯+\nError: left[\s\S]*Unhandled Rejection ⎯+\nError: late/);
  expect(code).toBe(1);
});
