/** Compares a test's expectation with its run. */
import type { RehearsalRecord, RehearsedCall, WorkflowExpectation } from '#schemas';
import { findValueProblem } from '../analysis/json-schema/value-problem.ts';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { createConfigurationError } from '../project/index.ts';
import type { Path } from '../source/source-document.ts';
import { parseDurationMs } from '../text/duration.ts';
import { findFirstDifference } from './first-difference.ts';
import { findCalledTool } from './known-names.ts';
import type { PlannedTest } from './planned-test.ts';

/**
 * Differences from the expectation; empty for a passing test.
 *
 * @param whyNot why a tool, `backend.tool`, was not called during recording
 */
export function checkRun(
  planned: PlannedTest,
  record: RehearsalRecord,
  whyNot: (tool: string) => string | undefined = () => undefined,
): readonly Diagnostic[] {
  const missing = checkMissingAnswers(planned, record, whyNot);
  // If answers are missing, the run took another path, which proves nothing.
  return missing.length > 0 ? missing : new RunCheck(planned, record).listFailures();
}

function checkMissingAnswers(
  planned: PlannedTest,
  { calls, questions }: RehearsalRecord,
  whyNot: (tool: string) => string | undefined,
): readonly Diagnostic[] {
  const { document } = planned.file;
  const path = [...planned.path, 'name'];
  const tools = calls
    .filter(({ by }) => by === 'none')
    .map(call => [`step "${call.step}" calls ${formatTool(call)}`, whyNot(formatTool(call))] as const);
  const people = questions
    .filter(({ isAnswered }) => !isAnswered)
    .map(({ step }) => [`step "${step}" asks the person`, undefined] as const);
  return [...new Map([...tools, ...people])].map(([what, help]) =>
    createConfigurationError(
      document,
      path,
      'LNT7033',
      `${what}, and the test has no answer to that`,
      help === undefined ? {} : { help },
    ),
  );
}

class RunCheck {
  readonly #planned: PlannedTest;
  readonly #record: RehearsalRecord;
  readonly #expect: WorkflowExpectation;
  readonly #found: Diagnostic[] = [];

  constructor(planned: PlannedTest, record: RehearsalRecord) {
    this.#planned = planned;
    this.#record = record;
    this.#expect = planned.test.expect ?? {};
  }

  listFailures(): readonly Diagnostic[] {
    this.#checkRefusedArguments();
    this.#end();
    this.#checkCalls();
    this.#checkQuestions();
    this.#checkSteps();
    this.#checkDuration();
    return this.#found;
  }

  /** A real backend would refuse these arguments, so the test's answer could never occur. */
  #checkRefusedArguments(): void {
    for (const call of this.#record.calls) {
      const tool = this.#planned.workflow.composite.calls.flatMap(({ target }) =>
        target.type === 'tool' && target.tool.backend === call.backend && target.tool.originalName === call.tool
          ? [target.tool]
          : [],
      )[0];
      const problem = tool && findValueProblem(call.arguments, tool.definition.inputSchema, text => [text]);
      if (problem === undefined) continue;
      const member = problem.path.length === 0 ? 'they' : problem.path.join('.');
      const text = `step "${call.step}" calls ${formatTool(call)} with arguments that it refuses: ${member} ${problem.message}`;
      this.#fail(text);
    }
  }

  #end(): void {
    const { status, error = '', failure, output } = this.#record;
    const { failure: expected, output: expectedValue } = this.#expect;
    if (expected === undefined) {
      if (status === 'failed') this.#fail(`the workflow fails: ${error}`);
      else if ('output' in this.#expect) this.#differs('output', expectedValue, output, ['expect', 'output']);
      return;
    }
    if (status === 'completed') {
      this.#fail('the workflow completes, and the test expects a failure', ['expect', 'failure'], 'key');
      return;
    }
    const { step, reason, message } = expected;
    if (step !== undefined && step !== failure?.step) {
      const found = failure?.step === undefined ? 'outside of any step' : `in step "${failure.step}"`;
      this.#fail(`the workflow fails ${found}, not in step "${step}": ${error}`, ['expect', 'failure', 'step']);
    } else if (reason !== undefined && reason !== failure?.reason)
      this.#fail(`the reason of the failure is ${failure?.reason}, not ${reason}: ${error}`, [
        'expect',
        'failure',
        'reason',
      ]);
    else if (message !== undefined && !error.includes(message))
      this.#fail(`the failure has no ${JSON.stringify(message)} in its message: ${error}`, [
        'expect',
        'failure',
        'message',
      ]);
  }

  #checkCalls(): void {
    const { calls: expected } = this.#expect;
    if (expected === undefined) return;
    const { calls } = this.#record;
    for (const [index, { tool, step, arguments: args }] of expected.entries()) {
      const path = ['expect', 'calls', index];
      const call = calls[index];
      const which = `call ${index + 1}`;
      if (call === undefined) {
        this.#fail(`there is no ${which}: the workflow makes ${formatAmount(calls.length, 'call')}`, path);
        return;
      }
      const expectedValue = findCalledTool(this.#planned.workflow, tool);
      if (
        !('backend' in expectedValue) ||
        expectedValue.backend !== call.backend ||
        expectedValue.originalName !== call.tool
      ) {
        this.#fail(`${which} is of ${formatTool(call)} by step "${call.step}", not of ${tool}`, [...path, 'tool']);
        return;
      }
      if (step !== undefined && step !== call.step) {
        this.#fail(`${which} is by step "${call.step}", not by step "${step}"`, [...path, 'step']);
        return;
      }
      if (args !== undefined) this.#differs(`${which}: arguments`, args, call.arguments, [...path, 'arguments']);
    }
    const more = calls[expected.length];
    if (more !== undefined)
      this.#fail(
        `step "${more.step}" makes call ${expected.length + 1}, which the test does not list: ${formatTool(more)}`,
        ['expect', 'calls'],
        'key',
      );
  }

  #checkQuestions(): void {
    const { questions: expected } = this.#expect;
    if (expected === undefined) return;
    const { questions } = this.#record;
    for (const [index, { step, message }] of expected.entries()) {
      const path = ['expect', 'questions', index];
      const question = questions[index];
      const which = `question ${index + 1}`;
      if (question === undefined) {
        this.#fail(`there is no ${which}: the workflow asks ${formatAmount(questions.length, 'question')}`, path);
        return;
      }
      if (question.step !== step) {
        this.#fail(`${which} is by step "${question.step}", not by step "${step}"`, [...path, 'step']);
        return;
      }
      if (message !== undefined)
        this.#differs(`${which}: the message`, message, question.message, [...path, 'message']);
    }
    const more = questions[expected.length];
    if (more !== undefined)
      this.#fail(
        `step "${more.step}" asks question ${expected.length + 1}, which the test does not list`,
        ['expect', 'questions'],
        'key',
      );
  }

  #checkSteps(): void {
    for (const [step, expectedValue] of Object.entries(this.#expect.steps ?? {})) {
      const { outcome, reason } = this.#record.outcomes.find(entry => entry.step === step) ?? {};
      if (outcome === expectedValue) continue;
      const why = reason === undefined ? '' : `; its reason is ${reason}`;
      this.#fail(`step "${step}" is ${formatOutcome(outcome)}, not ${formatOutcome(expectedValue)}${why}`, [
        'expect',
        'steps',
        step,
      ]);
    }
  }

  #checkDuration(): void {
    const { takes } = this.#expect;
    const { durationMs: actualMs } = this.#record;
    if (takes !== undefined && parseDurationMs(takes) !== actualMs)
      this.#fail(`the workflow takes ${actualMs} ms, not ${takes}`, ['expect', 'takes']);
  }

  #differs(what: string, expected: unknown, actual: unknown, path: Path): void {
    const difference = findFirstDifference(expected, actual);
    if (difference === undefined) return;
    this.#fail(`${what}${difference.member} ${difference.message}`, [...path, ...difference.path]);
  }

  /** @param path within the test; default: the test's name */
  #fail(message: string, path: Path = ['name'], at: 'key' | 'value' = 'value', code: DiagnosticCode = 'LNT7030'): void {
    const { file, path: own } = this.#planned;
    this.#found.push(createConfigurationError(file.document, [...own, ...path], code, message, { at }));
  }
}

function formatAmount(amount: number, noun: string): string {
  return amount === 0 ? `no ${noun}` : `only ${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

function formatOutcome(outcome: string | undefined): string {
  return (outcome ?? 'unknown').replace('_', ' ');
}

export function formatTool({ backend, tool }: Pick<RehearsedCall, 'backend' | 'tool'>): string {
  return `${backend}.${tool}`;
}
