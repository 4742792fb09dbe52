/** Turns the tests of a file into scripts for the runtime. Mistakes that need no run are reported here. */
import type { PersonAnswer, RehearsalScript, ScriptedTool, ToolAnswer, WorkflowTest } from '#schemas';
import type { ToolModel } from '../analysis/gateway/model.ts';
import { findValueProblem } from '../analysis/json-schema/value-problem.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { createConfigurationError } from '../project/index.ts';
import type { Path } from '../source/source-document.ts';
import { parseDurationMs } from '../text/duration.ts';
import { findCalledTool, findUnknownStep, type UnknownName } from './known-names.ts';
import type { PlannedTest, TestedWorkflow } from './planned-test.ts';
import type { TestFile } from './test-file.ts';

export interface PlannedTests {
  /** The valid tests. */
  readonly planned: readonly PlannedTest[];
  readonly diagnostics: readonly Diagnostic[];
}

export function planTests(file: TestFile, workflow: TestedWorkflow): PlannedTests {
  const shared = new TestPlanner(file, workflow);
  const common = shared.planTools(file.value.tools, ['tools']);
  const plans = file.value.tests.map((test, index) => {
    const planning = new TestPlanner(file, workflow);
    const path = ['tests', index];
    const script = planning.planScript(test, path, common);
    return { planned: { file, test, path, workflow, script }, diagnostics: planning.diagnostics };
  });
  const isSound = shared.diagnostics.length === 0;
  return {
    planned: plans.flatMap(({ planned, diagnostics }) => (isSound && diagnostics.length === 0 ? [planned] : [])),
    diagnostics: [...shared.diagnostics, ...plans.flatMap(({ diagnostics }) => diagnostics)],
  };
}

class TestPlanner {
  readonly diagnostics: Diagnostic[] = [];
  readonly #file: TestFile;
  readonly #workflow: TestedWorkflow;

  constructor(file: TestFile, workflow: TestedWorkflow) {
    this.#file = file;
    this.#workflow = workflow;
  }

  planScript(test: WorkflowTest, path: Path, common: readonly ScriptedTool[]): RehearsalScript {
    const { input = {}, tools, answers = {}, cancelAfter } = test;
    const { plan } = this.#workflow;
    this.#check(input, plan.parameters, [...path, 'input']);
    const planScript: RehearsalScript = {
      plan,
      input,
      tools: [...this.planTools(tools, [...path, 'tools']), ...common],
      people: Object.fromEntries(
        Object.entries(answers).map(([step, answer]) => [
          step,
          this.#planPerson(step, answer, [...path, 'answers', step]),
        ]),
      ),
      ...(cancelAfter !== undefined && { cancelAfterMs: parseDurationMs(cancelAfter) }),
    };
    this.#planExpectation(test, [...path, 'expect']);
    return planScript;
  }

  planTools(answers: WorkflowTest['tools'] = {}, path: Path): readonly ScriptedTool[] {
    return Object.entries(answers).flatMap(([name, list]) => {
      const tool = findCalledTool(this.#workflow, name);
      if ('message' in tool) {
        this.#reportUnknown(tool, [...path, name], 'key');
        return [];
      }
      return list.map((answer, index) => this.#planTool(tool, answer, [...path, name, index]));
    });
  }

  #planTool({ backend, originalName, definition }: ToolModel, answer: ToolAnswer, path: Path): ScriptedTool {
    const { arguments: args, times, takes, output, content, toolError, callFailed } = answer;
    const kinds = [output ?? content, toolError, callFailed].filter(kind => kind !== undefined).length;
    if (kinds !== 1)
      this.#reportProblem('an answer has `output`, `content` or both, or else `toolError` or `callFailed`', path);
    const { outputSchema } = definition;
    if (output !== undefined) this.#check(output, outputSchema, [...path, 'output']);
    else if (content !== undefined && outputSchema !== undefined)
      this.#reportProblem('the tool has an output schema, so it gives `output` as well', [...path, 'content']);
    return {
      backend,
      tool: originalName,
      ...(args !== undefined && { arguments: args }),
      ...(times !== undefined && { times }),
      takesMs: takes === undefined ? 0 : parseDurationMs(takes),
      answer: callFailed === undefined ? { result: toResult(answer) } : { callFailed },
    };
  }

  #planPerson(step: string, { action, content, takes }: PersonAnswer, path: Path): RehearsalScript['people'][string] {
    this.#reportUnknown(findUnknownStep(this.#workflow, step, 'elicitation'), path, 'key');
    const asking = this.#workflow.plan.steps.find(({ id }) => id === step);
    if (asking?.type === 'elicitation' && action === 'accept')
      this.#check(content ?? {}, asking.schema, content === undefined ? path : [...path, 'content']);
    else if (content !== undefined && action !== 'accept')
      this.#reportProblem('only a person who accepts fills something in', [...path, 'content']);
    return {
      action,
      ...(content !== undefined && { content }),
      takesMs: takes === undefined ? 0 : parseDurationMs(takes),
    };
  }

  /** Checks names in expectations. */
  #planExpectation({ expect = {} }: WorkflowTest, path: Path): void {
    const { output, failure, calls = [], questions = [], steps = {} } = expect;
    if (failure !== undefined && output !== undefined)
      this.#reportProblem('a workflow that fails has no output', [...path, 'output']);
    if (failure?.step !== undefined)
      this.#reportUnknown(findUnknownStep(this.#workflow, failure.step), [...path, 'failure', 'step']);
    for (const [index, { tool, step }] of calls.entries()) {
      const called = findCalledTool(this.#workflow, tool);
      if ('message' in called) this.#reportUnknown(called, [...path, 'calls', index, 'tool']);
      if (step !== undefined)
        this.#reportUnknown(findUnknownStep(this.#workflow, step), [...path, 'calls', index, 'step']);
    }
    for (const [index, { step }] of questions.entries())
      this.#reportUnknown(findUnknownStep(this.#workflow, step, 'elicitation'), [...path, 'questions', index, 'step']);
    for (const step of Object.keys(steps))
      this.#reportUnknown(findUnknownStep(this.#workflow, step), [...path, 'steps', step], 'key');
  }

  #check(value: unknown, schema: unknown, path: Path): void {
    if (schema === undefined) return;
    // Tests contain no templates: every text is literal.
    const problem = findValueProblem(value, schema, text => [text]);
    if (problem === undefined) return;
    const at = [...path, ...problem.path];
    this.#reportProblem(`${at.at(-1)} ${problem.message}`, at);
  }

  #reportUnknown(found: UnknownName | undefined, path: Path, at: 'key' | 'value' = 'value'): void {
    if (found === undefined) return;
    const { message, ...details } = found;
    this.diagnostics.push(createConfigurationError(this.#file.document, path, 'LNT7031', message, { at, ...details }));
  }

  #reportProblem(message: string, path: Path): void {
    this.diagnostics.push(createConfigurationError(this.#file.document, path, 'LNT7032', message));
  }
}

function toResult({ output, content, toolError }: ToolAnswer): { readonly [member: string]: unknown } {
  if (toolError !== undefined) return { content: [{ type: 'text', text: toolError }], isError: true };
  return {
    ...(content !== undefined && { content }),
    ...(output !== undefined && { structuredContent: output }),
  };
}
