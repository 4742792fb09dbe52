import { findValueProblem, lowerWorkflow } from '#compiler';
import {
  type ActorCall,
  type ActorElicitation,
  type Actors,
  rehearse,
  type ToolResult,
  type VirtualTime,
} from '#runtime';
import { findNearest } from '#shared/util';
import { chooseModel, type ExposureSettings } from './chosen-model.ts';
import type { Synthesizable } from './compiled-chart.ts';
import type { Fake } from './fake.ts';

/** Settings of a dry run. */
export interface DryRunSettings extends ExposureSettings {
  /** Arguments of the call to the workflow. None unless given. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** One fake for each tool that steps call; a tool that conditions skip needs none. */
  readonly tools?: readonly Fake[];
  /** The user's answers, by the id of the elicitation step. */
  readonly answers?: Readonly<Record<string, Answer>>;
}

/** A user's answer to an elicitation. */
export interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The content of an accepted elicitation. */
  readonly content?: unknown;
}

/** The outcome of a step. */
export interface DryRunStep {
  /** How the step ended. `pending`: the workflow ended before the step began. */
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'skipped';
  /** The output of the step; null when there is none. */
  readonly output: unknown;
  /** The error of the step; empty when there is none. */
  readonly error: string;
}

/** The result of a dry run. */
export interface DryRun {
  readonly status: 'completed' | 'failed';
  /** The `structuredContent` that clients get from a completed run. */
  readonly output: unknown;
  /** Why the run failed. Clients only get the step, its tool and the class of the cause, because texts may contain rendered templates. */
  readonly error: string | undefined;
  readonly steps: Readonly<Record<string, DryRunStep>>;
  /** Every call, retries included, in the order in which they started. */
  readonly calls: readonly DryRunCall[];
  readonly questions: readonly { readonly step: string; readonly message: string }[];
  /** How long the run would have taken if tools took as long as the fakes declare. */
  readonly durationMs: number;
}

export interface DryRunCall {
  readonly step: string;
  /** The called tool, as `<backend>.<tool>`. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * Runs a workflow of a chart with the gateway's engine and fake tools. Retries, time limits and conditions work as in the gateway, but in
 * virtual time, so that a test does not wait.
 *
 * @param workflow the workflow's name as a tool
 * @example
 * const run = await dryRun(chart, 'triage', {
 *   input: { repo: 'lintel' },
 *   tools: [fake(github.tools.search, { total: 3 }), fake(github.tools.create_issue, { number: 1 })],
 * });
 * expect(run.calls[1].arguments).toEqual({ title: '3 open' });
 *
 * @throws Error when the specs have errors, the workflow is unknown, or a fake or an answer is missing, unused or does not fit its tool: these
 * are errors in the test, not outcomes of the workflow
 */
export async function dryRun(source: Synthesizable, workflow: string, settings: DryRunSettings = {}): Promise<DryRun> {
  const { model } = chooseModel(source, settings);
  const composite = model.composites.find(({ name }) => name === workflow);
  if (composite === undefined) {
    const names = model.composites.map(({ name }) => name).join(', ') || 'none';
    throw new Error(`there is no workflow "${workflow}"; there are: ${names}`);
  }
  const schemas = new Map(
    composite.calls.flatMap(({ target }) =>
      target.type === 'tool' ? [[`${target.tool.backend}.${target.tool.originalName}`, target.tool.definition]] : [],
    ),
  );
  const { input = {} } = settings;
  refuse(`the input of "${workflow}"`, input, composite.tool.parameters);
  for (const idle of listIdleSettings(composite, settings)) throw new Error(idle);
  const actors = new DryActors(settings, schemas);
  const { run, durationMs } = await rehearse(lowerWorkflow(composite), input, actors);
  const [mistake] = actors.mistakes;
  if (mistake !== undefined) throw mistake;
  const { calls, questions } = actors;
  return { ...run, calls, questions, durationMs };
}

type Composite = ReturnType<typeof chooseModel>['model']['composites'][number];

/** Fakes and answers that no step of the workflow can use: misspelt names, or leftovers from another test. */
function listIdleSettings(
  { name, tool, calls }: Composite,
  { tools = [], answers = {} }: DryRunSettings,
): readonly string[] {
  const called = new Set(
    calls.map(({ call, target }) =>
      target.type === 'tool' ? `${target.tool.backend}.${target.tool.originalName}` : call.tool,
    ),
  );
  const faked = tools.map(({ backend, tool: own }) => `${backend}.${own}`);
  const asking = tool.steps.flatMap(({ id, type }) => (type === 'elicitation' ? [id] : []));
  return [
    ...faked.filter((value, index) => faked.indexOf(value) < index).map(value => `there are two fakes of ${value}`),
    ...faked
      .filter(value => !called.has(value))
      .map(value => `there is a fake of ${value}, which no step of "${name}" calls`),
    ...Object.keys(answers)
      .filter(id => !asking.includes(id))
      .map(id => `there is an answer to "${id}", which is no step of "${name}" that asks${formatHint(id, asking)}`),
  ];
}

function formatHint(id: string, asking: readonly string[]): string {
  const near = findNearest(id, asking);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

class DryActors implements Actors {
  readonly calls: DryRunCall[] = [];
  readonly questions: { readonly step: string; readonly message: string }[] = [];
  readonly mistakes: Error[] = [];
  readonly #settings: DryRunSettings;
  readonly #definitions: ReadonlyMap<string, Readonly<Record<string, unknown>>>;

  constructor(settings: DryRunSettings, definitions: ReadonlyMap<string, Readonly<Record<string, unknown>>>) {
    this.#settings = settings;
    this.#definitions = definitions;
  }

  async call({ step, backend, tool, arguments: args }: ActorCall, time: VirtualTime): Promise<ToolResult> {
    const name = `${backend}.${tool}`;
    this.calls.push({ step, tool: name, arguments: args });
    const definition = this.#definitions.get(name);
    const fake = this.#settings.tools?.find(entry => entry.backend === backend && entry.tool === tool);
    if (fake === undefined) throw this.#createMistake(`step "${step}" calls ${name}, for which there is no fake`);
    // A backend would refuse these arguments, so the step fails as it would there.
    const problem = findProblem(args, definition?.inputSchema);
    if (problem !== undefined) throw new Error(`${name} refuses its arguments: ${problem}`);
    const structuredContent = await time.still(() => fake.answer(args as never));
    if (fake.takesMs > 0) await new Promise<void>(resolve => time.after(fake.takesMs, resolve));
    const violation = findProblem(structuredContent, definition?.outputSchema);
    if (violation !== undefined)
      throw this.#createMistake(
        `the fake of ${name} returns a result that does not fit the tool's output schema: ${violation}`,
      );
    return { structuredContent };
  }

  async answer({ step, message, schema }: ActorElicitation): Promise<Answer> {
    this.questions.push({ step, message });
    const answer = this.#settings.answers?.[step];
    if (answer === undefined) throw this.#createMistake(`step "${step}" asks the person, and the test has no answer`);
    const violation = answer.action === 'accept' ? findProblem(answer.content, schema) : undefined;
    if (violation !== undefined)
      throw this.#createMistake(`the answer to step "${step}" is not one that a client can give: ${violation}`);
    return answer;
  }

  #createMistake(message: string): Error {
    const mistake = new Error(message);
    this.mistakes.push(mistake);
    return mistake;
  }
}

function refuse(what: string, value: unknown, schema: unknown): void {
  const problem = findProblem(value, schema);
  if (problem !== undefined) throw new Error(`${what} does not fit its parameters: ${problem}`);
}

/** Finds the violation in a value that contains no template. */
function findProblem(value: unknown, schema: unknown): string | undefined {
  if (schema === undefined) return undefined;
  const problem = findValueProblem(value, schema, text => [text]);
  return problem && `${problem.path.length === 0 ? 'it' : problem.path.join('.')} ${problem.message}`;
}
