/** Runs YAML workflows, lowered into a plan, with the engine in virtual time. */
import { type ElicitationResult, runWorkflow, type ToolResult, type WorkflowHost } from '#runtime';
import type { ToolReference, WorkflowCall, WorkflowPlan, WorkflowStep } from '#schemas';
import { VirtualTime } from '../../../runtime/rehearsal/virtual-time.ts';
import { workflow } from '../workflows/support.ts';

/** The outcome of calls, by the ids of steps: a result, a failure, or no response. */
type Answers = Readonly<Record<string, ToolResult | Error | 'never' | ((call: number) => ToolResult | Error)>>;

export interface World {
  readonly tools?: Answers;
  /** The answer of a user, or of each elicitation step. */
  readonly person?: ElicitationResult['action'] | Readonly<Record<string, ElicitationResult>>;
  /** Argument types of the tools, by the names of arguments. */
  readonly types?: Readonly<Record<string, readonly string[]>>;
  readonly input?: Readonly<Record<string, unknown>>;
}

export interface Ended {
  readonly status: 'completed' | 'failed';
  readonly output: unknown;
  /** Why a run failed, as `<step> <reason>`. */
  readonly failure: string | undefined;
  /** The arguments of each call. */
  readonly calls: readonly (readonly [step: string, args: unknown])[];
  readonly states: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly most: number;
  /** How long the run took, in virtual milliseconds. */
  readonly took: number;
}

function planOf(yaml: string, types: NonNullable<World['types']>): WorkflowPlan {
  const {
    description: _,
    annotations: __,
    outputSchema: ___,
    steps,
    ...plan
  } = workflow(`{ name: w, description: Tests, ${yaml} }`);
  const typed = (name: string, argument: ToolReference['arguments'][string]) =>
    'template' in argument ? { ...argument, types: types[name] ?? [] } : argument;
  const resolved = ({ reference, arguments: planned }: ToolReference): WorkflowCall => ({
    backend: 'b',
    tool: reference,
    arguments: Object.fromEntries(Object.entries(planned).map(([name, argument]) => [name, typed(name, argument)])),
  });
  const withTools = steps.map(step => ('call' in step ? { ...step, call: resolved(step.call) } : step));
  return { ...plan, steps: withTools as readonly WorkflowStep[] };
}

export async function run(yaml: string, { tools = {}, person, types = {}, input = {} }: World = {}): Promise<Ended> {
  const time = new VirtualTime(0);
  const calls: [string, unknown][] = [];
  let [open, most] = [0, 0];
  const host: WorkflowHost = {
    id: 'r',
    now: () => time.now(),
    after: (ms, then) => time.after(ms, then),
    random: () => 0.5,
    callTool: async (_call, args, step) => {
      const at = calls.push([step, args]);
      most = Math.max(most, ++open);
      const answer = tools[step] ?? { structuredContent: { from: step } };
      if (answer === 'never') return new Promise(() => {});
      await new Promise<void>(resolve => time.after(1, resolve));
      open -= 1;
      const found = typeof answer === 'function' ? answer(at) : answer;
      if (found instanceof Error) throw found;
      return found;
    },
    elicit: async (_message, _schema, step) => {
      const answer = typeof person === 'string' ? { action: person, content: { name: 'ann' } } : person?.[step];
      return answer ?? new Promise(() => {});
    },
  };
  const { status, output, failure, steps } = await time.until(runWorkflow(planOf(yaml, types), input, host));
  return {
    status,
    output,
    failure: failure && `${failure.step ?? '-'} ${failure.reason}`,
    calls,
    states: Object.fromEntries(Object.entries(steps).map(([id, state]) => [id, state.status])),
    outputs: Object.fromEntries(Object.entries(steps).map(([id, state]) => [id, state.output])),
    most,
    took: time.now(),
  };
}

export const items = (count: number) => ({ items: Array.from({ length: count }, (_, at) => at) });
export const each = (more = '', inner = '') =>
  `parameters: { type: object, properties: { items: { type: array } } }, steps: [{ id: each, type: forEach, collection: "{{ json .params.items }}", ${more} step: { id: one, tool: t, ${inner} } }]`;
export const asking = (more = '') =>
  `steps: [{ id: ask, type: elicitation, message: "Who?", schema: { type: object, properties: { name: { type: string } } }, ${more} }, { id: after, tool: t, dependsOn: [ask] }]`;
export const output = (property: string, more = '') =>
  `steps: [{ id: a, tool: t }], output: { properties: { p: { description: A property, ${property} } } ${more} }`;
export const NO = new Error('no');
