import type { RehearsalRecord } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { UsageError } from '../usage-error.ts';
import type { PlannedTest } from '../workflow-tests/planned-test.ts';
import { insertAnswers } from '../workflow-tests/record/insert-answers.ts';
import { type Answers, recordedAnswers } from '../workflow-tests/record/recorded-answers.ts';
import type { TestFile } from '../workflow-tests/test-file.ts';
import type { Live } from './live-backends.ts';
import { writeOutput } from './outputs.ts';

/** The answers of backends that are on their way into files with tests. */
export class Recording {
  readonly #live: Live;
  /** By the index of the test. */
  readonly #answers = new Map<TestFile, Map<number, Answers>>();

  constructor(live: Live) {
    this.#live = live;
  }

  /** Takes the answers of a run. Returns why some of them are not recorded. */
  take(test: PlannedTest, record: RehearsalRecord): readonly Diagnostic[] {
    const { answers, diagnostics } = recordedAnswers(test, record, answer => this.#live.repeatsSecret(answer));
    if (answers.size === 0) return diagnostics;
    const ofFile = this.#answers.get(test.file) ?? new Map<number, Answers>();
    ofFile.set(test.file.value.tests.indexOf(test.test), answers);
    this.#answers.set(test.file, ofFile);
    return diagnostics;
  }

  whyNot(test: PlannedTest, tool: string): string | undefined {
    return this.#live.whyNot(test, tool);
  }

  /** @throws UsageError for a file that answers cannot be written into; the others are written */
  async write(say: (line: string) => void): Promise<void> {
    const unwritable: string[] = [];
    for (const [{ document, absolute }, answers] of this.#answers) {
      const text = insertAnswers(document, answers);
      if (text === undefined) {
        unwritable.push(document.file);
        continue;
      }
      await writeOutput(absolute, text);
      const count = [...answers.values()].flatMap(ofTest => [...ofTest.values()].flat()).length;
      say(`lintel: recorded ${count} answer${count === 1 ? '' : 's'} in ${document.file}`);
    }
    if (this.#answers.size === 0) say('lintel: nothing to record: the tests have every answer that their runs ask for');
    if (unwritable.length === 0) return;
    throw new UsageError(
      `answers cannot be written into ${unwritable.join(', ')}: write its tests, their tools and answers in block style, a field per line`,
    );
  }
}
