/**
 * Runs a test file, with the setup that all files share. Vitest loads a file with a different URL each time, and setup files again for each test
 * file, so that Node would strip and compile them each time. Here a file has a fixed URL, for which Node has a compile cache.
 */
import { flushCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { afterAll, type RunnerTestSuite, TestRunner, vi } from 'vitest';
import { reportLeftRejections } from './left-rejections.ts';
import './patient-waits.ts';
import { repeatFailedHooks } from './repeated-hooks.ts';

export default class Runner extends TestRunner {
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    if (this.config.retry !== 0) repeatFailedHooks(suite);
    await super.onBeforeRunSuite(suite);
  }

  override importFile(file: string, source: 'collect' | 'setup'): unknown {
    if (source === 'setup') return super.importFile(file, source);
    // Node writes its compile cache when a process exits by itself. Workers do not: Vitest ends them by a signal.
    afterAll(() => flushCompileCache());
    // The next file of this process finds the variables as they were.
    afterAll(() => void vi.unstubAllEnvs());
    reportLeftRejections();
    // With --watch, a process may load a file again after it has changed.
    return this.config.watch ? super.importFile(file, source) : import(pathToFileURL(file).href);
  }
}
