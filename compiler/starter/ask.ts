/** Asks the person at the terminal, one line per question. */
import { createInterface, type Interface } from 'node:readline';
import { InterruptedError } from '../interrupted-error.ts';
import { UsageError } from '../usage-error.ts';

export interface Prompt {
  readonly text: string;
  /** The answer for an empty line. */
  readonly otherwise: string;
  /** Why an answer is invalid; the question is then repeated. */
  readonly problem: (answer: string) => string | undefined;
}

/** Whether a person can answer questions. */
export function canPrompt(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

const LEFT = 'left before the end: nothing was written';

/**
 * The answers, in the order of the questions. Asks on standard error.
 *
 * @throws InterruptedError for Ctrl-C, UsageError when the input ends
 */
export async function ask(questions: readonly Prompt[]): Promise<readonly string[]> {
  if (questions.length === 0) return [];
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const all = Promise.withResolvers<readonly string[]>();
  const answers: string[] = [];
  let isOver = false;
  const leave = (error: Error) => {
    if (isOver) return;
    process.stderr.write('\n');
    all.reject(error);
  };
  terminal.once('SIGINT', () => leave(new InterruptedError(LEFT))).once('close', () => leave(new UsageError(LEFT)));
  const take = (answer: string) => {
    answers.push(answer);
    next();
  };
  const next = () => {
    const question = questions[answers.length];
    if (question === undefined) all.resolve(answers);
    else put(terminal, question, take, all.reject);
  };
  next();
  try {
    return await all.promise;
  } finally {
    isOver = true;
    terminal.close();
  }
}

/**
 * Calls back synchronously in the line event: a person may type several lines before the first question appears, and a line without a pending
 * question would be lost.
 */
function put(
  terminal: Interface,
  question: Prompt,
  use: (answer: string) => void,
  fail: (error: unknown) => void,
): void {
  const { text, otherwise, problem } = question;
  terminal.question(`${text} [${otherwise}] `, line => {
    try {
      const answer = line.trim() || otherwise;
      const wrong = problem(answer);
      if (wrong === undefined) return use(answer);
      process.stderr.write(`  ${wrong}\n`);
      put(terminal, question, use, fail);
    } catch (error) {
      fail(error);
    }
  });
}
