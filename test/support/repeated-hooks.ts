/** Vitest runs a test that fails once more where `retry` says so, and no hook: a program that does not start in time would fail all tests of its file. */
import type { RunnerTestSuite } from 'vitest';
import { TestRunner } from 'vitest';

/** Lets each `beforeAll` of the suite run once more after it failed. What the first attempt started is left as it is. */
export function repeatFailedHooks(suite: RunnerTestSuite): void {
  const { beforeAll } = TestRunner.getSuiteHooks(suite);
  for (const [at, hook] of beforeAll.entries()) {
    const repeated: typeof hook = async (...args) => {
      try {
        return await hook(...args);
      } catch (error) {
        console.error(`beforeAll of ${suite.name} failed, and runs once more:`, error);
        return await hook(...args);
      }
    };
    // Vitest's own marks of the hook.
    beforeAll[at] = Object.assign(repeated, hook);
  }
}
