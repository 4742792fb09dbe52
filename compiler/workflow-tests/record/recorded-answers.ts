/** Converts backends' answers during a run to the form of test files. */

import { isDeepStrictEqual } from 'node:util';
import type { RehearsalRecord, RehearsedCall, ScriptedResult, ToolAnswer, WorkflowExpectation } from '#schemas';
import { isObject } from '#schemas';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { createConfigurationError } from '../../project/index.ts';
import { formatTool } from '../check-run.ts';
import type { PlannedTest } from '../planned-test.ts';
import { findPossibleSecret } from './find-possible-secret.ts';
import { recordExpectation } from './recorded-expectation.ts';
import { formatToolName } from './tool-name.ts';

/** The recorded answers, by the tools' names in steps. */
export type RecordedAnswers = ReadonlyMap<string, readonly ToolAnswer[]>;

export interface RecordedOutcome {
  readonly answers: RecordedAnswers;
  /** The outcome that becomes the expectation of a test without one. */
  readonly expect?: WorkflowExpectation | undefined;
  /** Answers that are missing or must not be stored. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Limit on one answer in characters of JSON, because people read test files. */
const MAX_ANSWER_LENGTH = 256 * 1024;

/** @param repeatsSecret whether an answer contains a credential that was sent to the backend */
export function recordAnswers(
  test: PlannedTest,
  record: RehearsalRecord,
  repeatsSecret: (answer: unknown) => boolean,
): RecordedOutcome {
  const recordedCalls: {
    readonly name: string;
    readonly args: RehearsedCall['arguments'];
    readonly answer: ToolAnswer;
  }[] = [];
  const problems = new Set<string>();
  for (const call of record.calls) {
    if (call.live === undefined) continue;
    const problem = findProblem(call, repeatsSecret);
    if (problem !== undefined) problems.add(`step "${call.step}" calls ${formatTool(call)}, ${problem}`);
    else if ('result' in call.live)
      recordedCalls.push({
        name: formatToolName(test.workflow, call),
        args: call.arguments,
        answer: toAnswer(call.live.result),
      });
  }
  // If an answer of this run is not stored, a later run cannot repeat the calls, so this run cannot become the expectation.
  const isWhole = test.test.expect === undefined && problems.size === 0;
  const expect = isWhole ? recordExpectation(test, record) : undefined;
  const isHarmless = expect !== undefined && !repeatsSecret(expect) && findPossibleSecret(expect) === undefined;
  const names = [...new Set(recordedCalls.map(({ name }) => name))];
  return {
    answers: new Map(names.map(name => [name, orderAnswers(recordedCalls.filter(entry => entry.name === name))])),
    expect: isHarmless ? expect : undefined,
    diagnostics: [...problems].map(problem =>
      createConfigurationError(test.file.document, [...test.path, 'name'], 'LNT7033', problem, {
        help: 'Write the answer by hand, or call the backend once more',
      }),
    ),
  };
}

function findProblem({ live }: RehearsedCall, repeatsSecret: (answer: unknown) => boolean): string | undefined {
  if (live === undefined) return undefined;
  if ('callFailed' in live) return `which gave no answer: ${live.callFailed}`;
  const answer = toAnswer(live.result);
  if (repeatsSecret(live.result)) return 'whose answer repeats the credential that it was shown: it is not recorded';
  const path = findPossibleSecret(answer);
  if (path !== undefined) return `whose answer seems to have a credential at ${path.join('.')}: it is not recorded`;
  const { length } = JSON.stringify(answer);
  if (length <= MAX_ANSWER_LENGTH) return undefined;
  return `whose answer has ${length} characters: at most ${MAX_ANSWER_LENGTH} are recorded`;
}

function toAnswer({ content = [], structuredContent, isError }: ScriptedResult): ToolAnswer {
  if (isError === true) return { toolError: listTexts(content).join(' ') || 'the tool failed' };
  const blocks = content.map(({ _meta, ...block }) => block);
  if (!isObject(structuredContent)) return { content: blocks };
  return { output: structuredContent, ...(repeatsOutput(blocks, structuredContent) ? {} : { content: blocks }) };
}

/** Tools with structured output repeat it as text for older clients. */
function repeatsOutput(blocks: readonly { readonly type: string }[], output: unknown): boolean {
  if (blocks.length === 0) return true;
  const [text, ...more] = listTexts(blocks);
  try {
    return blocks.length === 1 && more.length === 0 && isDeepStrictEqual(JSON.parse(text ?? ''), output);
  } catch {
    return false;
  }
}

function listTexts(blocks: NonNullable<ScriptedResult['content']>): readonly string[] {
  return blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
}

/** The first matching answer is used, and a less specific one matches more calls, so specific ones come first. */
function orderAnswers(calls: readonly { readonly args: RehearsedCall['arguments']; readonly answer: ToolAnswer }[]) {
  const groups: {
    readonly args: RehearsedCall['arguments'];
    readonly runs: { answer: ToolAnswer; times: number }[];
  }[] = [];
  for (const { args, answer } of calls) {
    let group = groups.find(entry => isDeepStrictEqual(entry.args, args));
    if (group === undefined) {
      group = { args, runs: [] };
      groups.push(group);
    }
    const last = group.runs.at(-1);
    if (last !== undefined && isDeepStrictEqual(last.answer, answer)) last.times += 1;
    else group.runs.push({ answer, times: 1 });
  }
  return groups
    .toSorted((a, b) => Object.keys(b.args).length - Object.keys(a.args).length)
    .flatMap(({ args, runs }) =>
      runs.map(
        ({ answer, times }, at): ToolAnswer => ({
          ...(Object.keys(args).length === 0 ? {} : { arguments: args }),
          ...(at === runs.length - 1 ? {} : { times }),
          ...answer,
        }),
      ),
    );
}
