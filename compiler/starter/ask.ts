/** Questions to the person at the terminal, one line each. */
import { createInterface } from 'node:readline/promises';
import { UsageError } from '../usage-error.ts';

export interface Prompt {
  readonly text: string;
  /** What an empty line stands for. */
  readonly otherwise: string;
  /** What is wrong with an answer; it is asked for again then. */
  readonly problem: (answer: string) => string | undefined;
}

/** Whether a person can answer. */
export function canPrompt(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * The answers, in the order of the questions. Asks on standard error.
 *
 * @throws UsageError when the person ends it
 */
export async function ask(questions: readonly Prompt[]): Promise<readonly string[]> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const left = new AbortController();
  // An input that ends leaves its question open forever.
  terminal.once('close', () => left.abort());
  try {
    const answers: string[] = [];
    for (const question of questions) answers.push(await answer(question, text => terminal.question(text, left)));
    return answers;
  } catch (error) {
    if (!left.signal.aborted) throw error;
    process.stderr.write('\n');
    throw new UsageError('left before the end: nothing was written');
  } finally {
    terminal.close();
  }
}

async function answer(question: Prompt, put: (text: string) => Promise<string>): Promise<string> {
  const { text, otherwise, problem } = question;
  for (;;) {
    const given = (await put(`${text} [${otherwise}] `)).trim() || otherwise;
    const wrong = problem(given);
    if (wrong === undefined) return given;
    process.stderr.write(`  ${wrong}\n`);
  }
}
