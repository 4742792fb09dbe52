/**
 * With `retry`, Vitest repeats a test that fails, but no hook. A program that does not start in time, or that still writes to a folder while the
 * folder is removed, would therefore fail all tests of its file.
 */
import type { RunnerTestSuite } from 'vitest';
import { TestRunner } from 'vitest';

/** Makes each `beforeAll` and `afterAll` of the suite run once more after it has failed. What the first attempt has started is left as it is. */
export function repeatFailedHooks(suite: RunnerTestSuite): void {
  const { beforeAll, afterAll } = TestRunner.getSuiteHooks(suite);
  repeat(beforeAll, `beforeAll of ${suite.name}`);
  repeat(afterAll, `afterAll of ${suite.name}`);
}

function repeat<Args extends unknown[]>(hooks: ((...args: Args) => unknown)[], name: string): void {
  for (const [at, hook] of hooks.entries()) {
    const repeated = async (...args: Args) => {
      try {
        return await hook(...args);
      } catch (error) {
        console.error(`${name} failed, and runs once more:`, error);
        return await hook(...args);
      }
    };
    // With Vitest's own marks of the hook.
    hooks[at] = Object.assign(repeated, hook);
  }
}
