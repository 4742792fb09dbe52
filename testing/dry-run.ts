import { lowerWorkflow, nearest, valueProblem } from '#compiler';
import {
  type ActorCall,
  type ActorElicitation,
  type Actors,
  rehearse,
  type ToolResult,
  type VirtualTime,
} from '#runtime';
import { chosenModel, type ExposureSettings } from './chosen-model.ts';
import type { Synthesizable } from './compiled-chart.ts';
import type { Fake } from './fake.ts';

/** What a dry run is given. */
export interface DryRunSettings extends ExposureSettings {
  /** Arguments of the call of the workflow. None unless given. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** One fake for each tool that steps call; those that are left out by conditions need none. */
  readonly tools?: readonly Fake[];
  /** What the person answers, by the id of the step that asks. */
  readonly answers?: Readonly<Record<string, Answer>>;
}

/** What a person answers to a question. */
export interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The content of an answer that accepts. */
  readonly content?: unknown;
}

/** What became of a step. */
export interface DryRunStep {
  /** `pending`: the workflow ended before. */
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'skipped';
  /** Null without one. */
  readonly output: unknown;
  /** Empty without one. */
  readonly error: string;
}

/** What a workflow did. */
export interface DryRun {
  readonly status: 'completed' | 'failed';
  /** What clients get as `structuredContent` of a run that completed. */
  readonly output: unknown;
  /** Why it failed. Clients get to know the step, its tool and the class of the cause, since texts can hold what templates rendered. */
  readonly error: string | undefined;
  readonly steps: Readonly<Record<string, DryRunStep>>;
  /** Every call, further attempts among them, in the order in which they started. */
  readonly calls: readonly DryRunCall[];
  readonly questions: readonly { readonly step: string; readonly message: string }[];
  /** How long it would have taken, going by what the fakes say that they take. */
  readonly durationMs: number;
}

export interface DryRunCall {
  readonly step: string;
  /** `<backend>.<tool>`. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * Runs a workflow of a chart with the engine of the gateway, and fakes in place of its tools. Retries, time limits and conditions
 * are as they will be, but without waiting: time jumps.
 *
 * @param workflow the name of the tool that it is to clients
 * @example
 * const run = await dryRun(chart, 'triage', {
 *   input: { repo: 'lintel' },
 *   tools: [fake(github.tools.search, { total: 3 }), fake(github.tools.create_issue, { number: 1 })],
 * });
 * expect(run.calls[1].arguments).toEqual({ title: '3 open' });
 *
 * @throws Error when the specs have errors, there is no such workflow, or a fake or an answer is missing, idle or does not fit the tool:
 *   mistakes of the test, and no outcome of the workflow
 */
export async function dryRun(source: Synthesizable, workflow: string, settings: DryRunSettings = {}): Promise<DryRun> {
  const { model } = chosenModel(source, settings);
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
  for (const idle of idleSettings(composite, settings)) throw new Error(idle);
  const actors = new DryActors(settings, schemas);
  const { run, durationMs } = await rehearse(lowerWorkflow(composite), input, actors);
  const [mistake] = actors.mistakes;
  if (mistake !== undefined) throw mistake;
  const { calls, questions } = actors;
  return { ...run, calls, questions, durationMs };
}

type Composite = ReturnType<typeof chosenModel>['model']['composites'][number];

/** What no step of the workflow can ask for, whatever becomes of it: a slip, or left over from another test. */
function idleSettings(
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
    ...faked.filter((one, index) => faked.indexOf(one) < index).map(one => `there are two fakes of ${one}`),
    ...faked.filter(one => !called.has(one)).map(one => `there is a fake of ${one}, which no step of "${name}" calls`),
    ...Object.keys(answers)
      .filter(id => !asking.includes(id))
      .map(id => `there is an answer to "${id}", which is no step of "${name}" that asks${hint(id, asking)}`),
  ];
}

function hint(id: string, asking: readonly string[]): string {
  const near = nearest(id, asking);
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
    const fake = this.#settings.tools?.find(one => one.backend === backend && one.tool === tool);
    if (fake === undefined) throw this.#mistake(`step "${step}" calls ${name}, for which there is no fake`);
    // What a backend would refuse, the step has to cope with: it fails as it would there.
    const problem = findProblem(args, definition?.inputSchema);
    if (problem !== undefined) throw new Error(`${name} refuses its arguments: ${problem}`);
    const structuredContent = await time.still(() => fake.answer(args as never));
    if (fake.takesMs > 0) await new Promise<void>(resolve => time.after(fake.takesMs, resolve));
    const violation = findProblem(structuredContent, definition?.outputSchema);
    if (violation !== undefined) throw this.#mistake(`the fake of ${name} gives what the tool does not: ${violation}`);
    return { structuredContent };
  }

  async answer({ step, message, schema }: ActorElicitation): Promise<Answer> {
    this.questions.push({ step, message });
    const answer = this.#settings.answers?.[step];
    if (answer === undefined) throw this.#mistake(`step "${step}" asks the person, for which there is no answer`);
    const violation = answer.action === 'accept' ? findProblem(answer.content, schema) : undefined;
    if (violation !== undefined)
      throw this.#mistake(`the answer to step "${step}" is none that clients give: ${violation}`);
    return answer;
  }

  #mistake(message: string): Error {
    const mistake = new Error(message);
    this.mistakes.push(mistake);
    return mistake;
  }
}

function refuse(what: string, value: unknown, schema: unknown): void {
  const problem = findProblem(value, schema);
  if (problem !== undefined) throw new Error(`${what} does not fit its parameters: ${problem}`);
}

/** Finds what is wrong with a value that is not written as a template: it stands for itself. */
function findProblem(value: unknown, schema: unknown): string | undefined {
  if (schema === undefined) return undefined;
  const problem = valueProblem(value, schema, text => [text]);
  return problem && `${problem.path.length === 0 ? 'it' : problem.path.join('.')} ${problem.message}`;
}
