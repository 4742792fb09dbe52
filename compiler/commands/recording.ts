import type { RehearsalRecord } from '#schemas';
import { formatCount } from '../analysis/exposure/render/words.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { UsageError } from '../usage-error.ts';
import type { PlannedTest } from '../workflow-tests/planned-test.ts';
import { type Addition, insertAnswers } from '../workflow-tests/record/insert-answers.ts';
import { recordAnswers } from '../workflow-tests/record/recorded-answers.ts';
import type { TestFile } from '../workflow-tests/test-file.ts';
import type { LiveBackendCalls } from './live-backends.ts';
import { writeOutput } from './outputs.ts';

/** Answers of real backends that are written into test files. */
export class AnswerRecorder {
  readonly #live: LiveBackendCalls;
  /** What is added to test files, by file and by the index of the test. */
  readonly #additions = new Map<TestFile, Map<number, Addition>>();

  constructor(live: LiveBackendCalls) {
    this.#live = live;
  }

  /** Records the answers of a run and, if its test has no expectation, its outcome. Returns why some answers are not recorded. */
  take(test: PlannedTest, record: RehearsalRecord): readonly Diagnostic[] {
    const { diagnostics, ...addition } = recordAnswers(test, record, answer => this.#live.repeatsSecret(answer));
    if (addition.answers.size === 0 && addition.expect === undefined) return diagnostics;
    const ofFile = this.#additions.get(test.file) ?? new Map<number, Addition>();
    ofFile.set(test.file.value.tests.indexOf(test.test), addition);
    this.#additions.set(test.file, ofFile);
    return diagnostics;
  }

  whyNot(test: PlannedTest, tool: string): string | undefined {
    return this.#live.whyNot(test, tool);
  }

  /** @throws UsageError for a file that cannot be written; the other files are written */
  async write(logLine: (line: string) => void): Promise<void> {
    const unwritable: string[] = [];
    for (const [{ document, absolute }, additions] of this.#additions) {
      const text = insertAnswers(document, additions);
      if (text === undefined) {
        unwritable.push(document.file);
        continue;
      }
      await writeOutput(absolute, text);
      logLine(`lintel: recorded ${formatCounts([...additions.values()])} in ${document.file}`);
    }
    if (this.#additions.size === 0)
      logLine('lintel: nothing to record: the tests have every answer that their runs ask for');
    if (unwritable.length === 0) return;
    throw new UsageError(
      `answers cannot be written into ${unwritable.join(', ')}: write its tests, their tools and answers in block style, a field per line`,
    );
  }
}

function formatCounts(additions: readonly Addition[]): string {
  const answers = additions.flatMap(({ answers }) => [...answers.values()].flat()).length;
  const expectations = additions.filter(({ expect }) => expect !== undefined).length;
  return [
    ...(answers === 0 ? [] : [formatCount(answers, 'answer')]),
    ...(expectations === 0 ? [] : [formatCount(expectations, 'expectation')]),
  ].join(' and ');
}
