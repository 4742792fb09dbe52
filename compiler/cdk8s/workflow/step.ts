import type { Tool, ToolSignature } from '../tool.ts';
import type { When } from './condition.ts';
import type { ArgumentValue, Ref } from './reference.ts';

/** A length of time, such as `30s` or `1h30m`. */
export type Duration =
  | `${number}${DurationUnit}`
  | `${number}${DurationUnit}${number}${DurationUnit}`
  | `${number}${DurationUnit}${number}${DurationUnit}${number}${DurationUnit}`;
type DurationUnit = 'ms' | 's' | 'm' | 'h';

/** The output of a tool without structured content. */
export type ContentOutput = { readonly text: string } & {
  readonly [name in `text_${number}` | `image_${number}` | `audio_${number}` | `resource_${number}`]: string;
};

/** The output of a step that calls a tool. */
export type OutputOf<S extends ToolSignature> = unknown extends S['output'] ? ContentOutput : S['output'];

/** The input of a tool, where each value may be one of the workflow. */
export type ArgumentsOf<Input extends object> = { readonly [K in keyof Input]: ArgumentValue<Input[K]> };

/**
 * Refuses arguments that the tool does not take: TypeScript itself does not check for extra properties in returned objects. A tool without a
 * lock accepts any.
 */
export type NoExtraKeys<A, I> = object extends I ? unknown : { readonly [K in Exclude<keyof A, keyof I>]: never };

/** A step that other steps can wait for. */
export interface AnyStep {
  readonly id: string;
  /** How the step ended. */
  readonly status: Ref<'completed' | 'failed' | 'skipped'>;
}

/** A step whose output other steps can read. */
export interface Step<O> extends AnyStep {
  readonly output: Ref<O>;
}

/**
 * What happens when a step fails: `abort` ends the workflow, `continue` goes on with `defaultResults`, `retry` tries again after a delay that
 * doubles each time.
 */
export type OnError = 'abort' | 'continue' | Retry;

export interface Retry {
  /** Number of further attempts. */
  readonly retry: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
  /** Delay before the first retry. Default: 1s. */
  readonly delay?: Duration;
}

export interface StepOptions<W, E, D> {
  /** The condition under which the step runs. Without one it always runs. */
  readonly when?: W;
  /** What happens when the step fails. Default: `abort`. */
  readonly onError?: E;
  /**
   * The output of the step when it is skipped, or fails with `continue`. Without it, other steps cannot read the output of a step that may end in
   * this way.
   */
  readonly defaultResults?: D;
  /** Steps that this step waits for without reading their output. */
  readonly after?: readonly AnyStep[];
  /** Maximum duration. Default: 5m. */
  readonly timeout?: Duration;
}

/** A step that may end without an output can only be read if it has default results. */
export type StepOf<O, W, E, D> = [D] extends [undefined]
  ? [W] extends [undefined]
    ? 'continue' extends E
      ? AnyStep
      : Step<O>
    : AnyStep
  : Step<O>;

/** @internal of the workflow's methods */
export type OptionalWhen = When | undefined;

/** One item of a `forEach`, and its output. */
export interface Iteration<I, O> {
  readonly index: number;
  readonly item: I;
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly output: O;
  readonly error?: string;
}

/** The output of a `forEach`. */
export interface ForEachOutput<I, O> {
  readonly iterations: readonly Iteration<I, O>[];
  readonly count: number;
  readonly completed: number;
  readonly failed: number;
}

export interface ForEachOptions<W, E, D> extends StepOptions<W, E, D> {
  /** Items handled at the same time, 1 to 50. Default: 10. */
  readonly maxParallel?: number;
  /** Maximum length of the list, 1 to 1000: a longer one fails the step. Default: 100. */
  readonly maxIterations?: number;
  /** Name of the step for an item, in findings. Default: the id and `-item`. */
  readonly itemId?: string;
  /** Number of further attempts for each item. */
  readonly retryItems?: Retry;
}

/** What happens when a person does not answer: `abort` fails the workflow, `skip_remaining` ends it, `continue` goes on. */
export type OnNoResponse = 'abort' | 'skip_remaining' | 'continue';

export interface AskOptions<W, E, D, A> extends StepOptions<W, E, D> {
  /** What happens when the person declines. Default: `abort`. */
  readonly onDecline?: A;
  /** What happens when the person dismisses the question. Default: `abort`. */
  readonly onCancel?: A;
}

/** A person's answer to a question. If the workflow continues without an answer, there is no content. */
export type ElicitationOutcome<C, A> = 'continue' extends A
  ? { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: C }
  : { readonly action: 'accept'; readonly content: C };

/** The name by which a step calls a tool, independent of what clients see. */
export function toolReference({ backend, name }: Pick<Tool, 'backend' | 'name'>): string {
  return `${backend}.${name}`;
}
