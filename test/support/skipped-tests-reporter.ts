/** Prints as the last line of a run how many tests were skipped and why. */
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { NEEDS } from './peers.ts';

const OTHER = 'for another reason';

/** The reasons of skipped tests with their counts, the most frequent first; undefined when none was skipped. */
export function skippedLine(titles: readonly string[]): string | undefined {
  if (titles.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const title of titles) {
    const reason = NEEDS.exec(title)?.[1];
    const name = reason === undefined ? OTHER : `without ${reason}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const parts = [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${count} ${reason}`);
  return `${titles.length} ${titles.length === 1 ? 'test' : 'tests'} skipped: ${parts.join('; ')}`;
}

export default class SkippedTestsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped: TestCase[] = [];
    for (const module of modules) for (const test of module.children.allTests('skipped')) skipped.push(test);
    const line = skippedLine(skipped.map(test => test.fullName));
    if (line !== undefined) process.stdout.write(`${line}\n`);
  }
}
