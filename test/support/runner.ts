/**
 * Runs a file of tests, with what all of them have. Vitest loads a file by another URL each time, and setup files once more for each file of
 * tests: Node would strip their types and compile them again. Here a file has its own URL, under which Node finds what it kept of it.
 */
import { flushCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { afterAll, type RunnerTestSuite, TestRunner } from 'vitest';
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
    // Node keeps what it compiled when a process ends by itself. Workers do not: Vitest ends them by a signal.
    afterAll(() => flushCompileCache());
    reportLeftRejections();
    // With --watch, a process may load a file again after it has changed.
    return this.config.watch ? super.importFile(file, source) : import(pathToFileURL(file).href);
  }
}
