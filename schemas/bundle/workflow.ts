/**
 * A workflow as the engine runs it: templates parsed, defaults applied, durations in milliseconds, each step behind those that it
 * depends on. Plain data.
 */
import type { TemplateTree } from './template.ts';

/** Steps that run at the same time, over all steps and items of a workflow. */
export const MAX_PARALLEL_STEPS = 10;

/** Further attempts of a step; more are cut down to this. */
export const MAX_RETRIES = 10;

/** `Call`: how steps say which tool they call. */
export interface WorkflowPlan<Call = WorkflowCall> {
  /** The name of the tool that it is to clients. */
  readonly name: string;
  /** JSON Schema of the input; the defaults of its properties are filled in. */
  readonly parameters: { readonly [member: string]: unknown };
  readonly timeoutMs: number;
  /** Each behind those that it depends on. */
  readonly steps: readonly WorkflowStep<Call>[];
  /** Null: the output of the step that ended last. */
  readonly output: WorkflowOutput | null;
}

export type WorkflowStep<Call = WorkflowCall> = ToolStep<Call> | ElicitationStep | ForEachStep<Call>;

interface StepCommon {
  readonly id: string;
  /** The steps that have ended before it starts. Without any it starts at once. */
  readonly dependsOn: readonly string[];
  /** The step is skipped unless it renders `true`; null is always. */
  readonly condition: TemplateTree | null;
  readonly timeoutMs: number;
  readonly onError: ErrorPolicy;
  /** What stands for the output of a step that was skipped or failed; absent is none. */
  readonly defaultResults?: unknown;
}

export type ErrorPolicy =
  | { readonly action: 'abort' }
  | { readonly action: 'continue' }
  /** @property delayMs before the first further attempt */
  | { readonly action: 'retry'; readonly count: number; readonly delayMs: number };

export interface WorkflowCall {
  readonly backend: string;
  /** The backend's own name of the tool. */
  readonly tool: string;
  readonly arguments: { readonly [name: string]: ArgumentPlan };
}

/** A workflow of a bundle: what clients see, and the plan, whose calls are resolved when it is known what backends offer. */
export interface WorkflowTool extends WorkflowPlan<ToolReference> {
  /** For clients. */
  readonly description: string;
  /** What the spec claims of it; the rest follows from the tools that it calls. */
  readonly annotations: { readonly [hint: string]: unknown };
  /** JSON Schema of what it returns; null where that is up to the step that ends last. */
  readonly outputSchema: { readonly [member: string]: unknown } | null;
}

/** Which tool a step calls, as the spec says it. */
export interface ToolReference {
  /** The name that the gateway gives the tool, which may be hidden, or `<backend>.<own name>`. */
  readonly reference: string;
  readonly arguments: { readonly [name: string]: ReferencedArgument };
}

export type ReferencedArgument = { readonly template: TemplateTree } | { readonly value: unknown };

/** A template renders text; `types` are what the tool's input schema asks for, and decide what the text becomes. */
export type ArgumentPlan =
  | { readonly template: TemplateTree; readonly types: readonly string[] }
  | { readonly value: unknown };

export interface ToolStep<Call = WorkflowCall> extends StepCommon {
  readonly type: 'tool';
  readonly call: Call;
}

export interface ForEachStep<Call = WorkflowCall> extends StepCommon {
  readonly type: 'forEach';
  /** Renders the text of a JSON array. */
  readonly collection: TemplateTree;
  readonly itemVar: string;
  readonly maxParallel: number;
  readonly maxIterations: number;
  readonly call: Call;
  /** What an error of a single call does: `continue` means nothing here. */
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
  /** Each must be there, and not null. */
  readonly required: readonly string[];
}

export interface OutputProperty {
  readonly type: OutputType;
  readonly from:
    | { readonly template: TemplateTree }
    | { readonly properties: { readonly [name: string]: OutputProperty } };
  /** For a template that cannot be rendered, or renders what is not of the type; absent is none. */
  readonly default?: unknown;
}
