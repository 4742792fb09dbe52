/** What Vitest does with a test file whose `beforeAll` fails, if it repeats tests that fail. */
import { readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Outcome, ROOT, run, temporaryFolder } from './process.ts';

const RUNNER = JSON.stringify(join(import.meta.dirname, 'runner.ts'));

const HOOKS = ['beforeAll', 'afterAll'] as const;

/** A file whose hook fails the first `failures` times. */
const textOf = (hook: string, failures: number) => `
import { ${hook}, test } from 'vitest';
let runs = 0;
${hook}(() => {
  if (runs++ < ${failures}) throw new Error('not ready');
  return () => console.log('cleaned up after ${failures}');
});
test('is run', () => {});
`;

interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

/** One run of Vitest over files such as `beforeAll-2.test.mjs`, whose hook fails twice. */
async function runFiles(
  retry: number,
  failures: readonly number[],
): Promise<Outcome & { readonly states: Readonly<Record<string, string>> }> {
  const settings = {
    retry,
    isolate: false,
    maxWorkers: 1,
    reporters: ['default', ['json', { outputFile: 'report.json' }]],
  };
  await using folder = await temporaryFolder({
    ...Object.fromEntries(
      HOOKS.flatMap(hook => failures.map(count => [`${hook}-${count}.test.mjs`, textOf(hook, count)])),
    ),
    'vitest.config.mjs': `export default { test: { ...${JSON.stringify(settings)}, runner: ${RUNNER} } };`,
  });
  await symlink(join(ROOT, 'node_modules'), folder.file('node_modules'));
  const outcome = await run(join(ROOT, 'node_modules/vitest/vitest.mjs'), ['run'], {
    cwd: folder.path,
    env: { NO_COLOR: '1' },
  });
  const { testResults } = JSON.parse(await readFile(folder.file('report.json'), 'utf8')) as Report;
  return { ...outcome, states: Object.fromEntries(testResults.map(({ name, status }) => [basename(name), status])) };
}

describe('where tests that fail run once more', () => {
  let outcome: Awaited<ReturnType<typeof runFiles>>;
  beforeAll(async () => {
    outcome = await runFiles(1, [1, 2]);
  });

  test.each(HOOKS)('a %s hook that fails once runs once more, and the test run says so', hook => {
    expect(outcome.stderr).toContain(`${hook} of ${hook}-1.test.mjs failed, and runs once more: Error: not ready`);
    expect(outcome.states[`${hook}-1.test.mjs`]).toBe('passed');
  });

  test('the clean-up function that a repeated beforeAll returns is called', () => {
    expect(outcome.stdout).toContain('cleaned up after 1');
  });

  test('a hook that fails twice fails its test file', () => {
    expect(outcome.states).toMatchObject({ 'beforeAll-2.test.mjs': 'failed', 'afterAll-2.test.mjs': 'failed' });
    expect(outcome.stdout).not.toContain('cleaned up after 2');
    expect(outcome.code).toBe(1);
  });
});

test('a hook that fails once without retries fails its test file', async () => {
  const { code, states } = await runFiles(0, [1]);
  expect(states).toEqual({ 'beforeAll-1.test.mjs': 'failed', 'afterAll-1.test.mjs': 'failed' });
  expect(code).toBe(1);
});

test('a test run whose hooks all succeed at the second attempt succeeds', async () => {
  const { code, stdout } = await runFiles(1, [1]);
  expect(stdout).toContain('2 passed');
  expect(code).toBe(0);
});
