/**
 * A workflow in the form that the engine runs: templates parsed, defaults applied, durations in milliseconds, each step after those that it
 * depends on. Plain data.
 */
import type { TemplateTree } from './template.ts';

/** Maximum number of steps of a run that run at the same time. A step with a list counts once, and has its own limit for its items. */
export const MAX_PARALLEL_STEPS = 10;

/** Maximum number of further attempts of a step; larger numbers are reduced to this. */
export const MAX_RETRIES = 10;

/** `Call`: the type by which steps name their tool. */
export interface WorkflowPlan<Call = WorkflowCall> {
  /** The name of the workflow as a tool. */
  readonly name: string;
  /** JSON Schema of the input; the engine fills in the defaults of its properties. */
  readonly parameters: { readonly [member: string]: unknown };
  readonly timeoutMs: number;
  /** The steps, each after the steps on which it depends. */
  readonly steps: readonly WorkflowStep<Call>[];
  /** How the output is made; null: the output is that of the step that ended last. */
  readonly output: WorkflowOutput | null;
}

export type WorkflowStep<Call = WorkflowCall> = ToolStep<Call> | ElicitationStep | ForEachStep<Call>;

interface StepCommon {
  readonly id: string;
  /** The steps that must end before it starts; without any it starts at once. */
  readonly dependsOn: readonly string[];
  /** The step is skipped unless this renders `true`; null means always. */
  readonly condition: TemplateTree | null;
  readonly timeoutMs: number;
  readonly onError: ErrorPolicy;
  /** The output of a step that was skipped or failed; absent for none. */
  readonly defaultResults?: unknown;
}

export type ErrorPolicy =
  | { readonly action: 'abort' }
  | { readonly action: 'continue' }
  /** @property delayMs before the first further attempt */
  | { readonly action: 'retry'; readonly count: number; readonly delayMs: number };

export interface WorkflowCall {
  readonly backend: string;
  /** The tool by the backend's own name. */
  readonly tool: string;
  readonly arguments: { readonly [name: string]: ArgumentPlan };
}

/** A workflow of a bundle: its definition for clients and its plan. Calls are resolved once the runtime knows what backends offer. */
export interface WorkflowTool extends WorkflowPlan<ToolReference> {
  /** The description that clients see. */
  readonly description: string;
  /** The hints in the spec; the others are derived from the called tools. */
  readonly annotations: { readonly [hint: string]: unknown };
  /** JSON Schema of the result; null when the result is the output of the step that ends last. */
  readonly outputSchema: { readonly [member: string]: unknown } | null;
}

/** The tool that a step calls, as the spec names it. */
export interface ToolReference {
  /** The name that the gateway gives the tool (hidden tools included), or `<backend>.<own name>`. */
  readonly reference: string;
  readonly arguments: { readonly [name: string]: ReferencedArgument };
}

export type ReferencedArgument = { readonly template: TemplateTree } | { readonly value: unknown };

/** A template renders text; `types` are the types that the tool's input schema allows, to one of which the text is converted. */
export type ArgumentPlan =
  | { readonly template: TemplateTree; readonly types: readonly string[] }
  | { readonly value: unknown };

export interface ToolStep<Call = WorkflowCall> extends StepCommon {
  readonly type: 'tool';
  readonly call: Call;
}

export interface ForEachStep<Call = WorkflowCall> extends StepCommon {
  readonly type: 'forEach';
  /** A template that gives the text of a JSON array. */
  readonly collection: TemplateTree;
  readonly itemVar: string;
  readonly maxParallel: number;
  readonly maxIterations: number;
  readonly call: Call;
  /** What happens when the call for one item fails; `continue` has no meaning here. */
  readonly callOnError: ErrorPolicy;
}

export interface ElicitationStep extends StepCommon {
  readonly type: 'elicitation';
  readonly message: TemplateTree;
  /** JSON Schema of the answer. */
  readonly schema: { readonly [member: string]: unknown };
  readonly onDecline: UnansweredAction;
  readonly onCancel: UnansweredAction;
}

export type UnansweredAction = 'abort' | 'continue' | 'skip_remaining';

export type OutputType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';

export interface WorkflowOutput {
  readonly properties: { readonly [name: string]: OutputProperty };
  /** Members that must be present and not null. */
  readonly required: readonly string[];
}

export interface OutputProperty {
  readonly type: OutputType;
  readonly from:
    | { readonly template: TemplateTree }
    | { readonly properties: { readonly [name: string]: OutputProperty } };
  /** Used when the template fails or renders a value of another type; absent without a default. */
  readonly default?: unknown;
}
