import type { Tool, ToolSignature } from '../tool.ts';
import type { When } from './condition.ts';
import type { ArgumentValue, Ref } from './reference.ts';

/** Such as `30s`, `1h30m`. */
export type Duration =
  | `${number}${Unit}`
  | `${number}${Unit}${number}${Unit}`
  | `${number}${Unit}${number}${Unit}${number}${Unit}`;
type Unit = 'ms' | 's' | 'm' | 'h';

/** What a result without structured content becomes. */
export type ContentOutput = { readonly text: string } & {
  readonly [name in `text_${number}` | `image_${number}` | `audio_${number}` | `resource_${number}`]: string;
};

/** What a step that calls a tool gives. */
export type OutputOf<S extends ToolSignature> = unknown extends S['output'] ? ContentOutput : S['output'];

/** What a tool takes, where each value may also be one of the workflow. */
export type ArgumentsOf<Input extends object> = { readonly [K in keyof Input]: ArgumentValue<Input[K]> };

/**
 * Nothing next to what a tool takes: TypeScript itself does not look for that in what functions return. Of a tool without a lock
 * nothing is known.
 */
export type NoExtraKeys<A, I> = object extends I ? unknown : { readonly [K in Exclude<keyof A, keyof I>]: never };

/** A step that others can wait for. */
export interface AnyStep {
  readonly id: string;
  /** How it ended. */
  readonly status: Ref<'completed' | 'failed' | 'skipped'>;
}

/** A step whose output others can read. */
export interface Step<O> extends AnyStep {
  readonly output: Ref<O>;
}

/**
 * What happens when a step fails: `abort` ends the workflow, `continue` goes on with `defaultResults`; or further attempts are
 * made, before which it waits, twice as long each time.
 */
export type OnError = 'abort' | 'continue' | Retry;

export interface Retry {
  /** Further attempts. */
  readonly retry: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
  /** Before the first of them. Default: 1s. */
  readonly delay?: Duration;
}

export interface StepOptions<W, E, D> {
  /** Without it the step always runs. */
  readonly when?: W;
  /** Default: `abort`. */
  readonly onError?: E;
  /** Its output when it is skipped or fails with `continue`. Without it no other step can read an output. */
  readonly defaultResults?: D;
  /** Steps that it waits for without reading their output. */
  readonly after?: readonly AnyStep[];
  /** Longest run. Default: 5m. */
  readonly timeout?: Duration;
}

/** A step that may end without an output of its own has none to read, unless one is given for that. */
export type StepOf<O, W, E, D> = [D] extends [undefined]
  ? [W] extends [undefined]
    ? 'continue' extends E
      ? AnyStep
      : Step<O>
    : AnyStep
  : Step<O>;

/** @internal of the workflow's methods */
export type OptionalWhen = When | undefined;

/** One item of a forEach, and its output. */
export interface Iteration<I, O> {
  readonly index: number;
  readonly item: I;
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly output: O;
  readonly error?: string;
}

/** What a forEach gives. */
export interface ForEachOutput<I, O> {
  readonly iterations: readonly Iteration<I, O>[];
  readonly count: number;
  readonly completed: number;
  readonly failed: number;
}

export interface ForEachOptions<W, E, D> extends StepOptions<W, E, D> {
  /** Items handled at the same time, 1 to 50. Default: 10. */
  readonly maxParallel?: number;
  /** Longest list that is accepted, 1 to 1000: a longer one fails the step. Default: 100. */
  readonly maxIterations?: number;
  /** Name of the step for an item, in findings. Default: the id and `-item`. */
  readonly itemId?: string;
  /** Further attempts for each item. */
  readonly retryItems?: Retry;
}

/** What happens when a person does not answer: `abort` fails the workflow, `skip_remaining` ends it, `continue` goes on. */
export type OnNoResponse = 'abort' | 'skip_remaining' | 'continue';

export interface AskOptions<W, E, D, A> extends StepOptions<W, E, D> {
  /** Default: `abort`. */
  readonly onDecline?: A;
  /** Default: `abort`. */
  readonly onCancel?: A;
}

/** The answer of a person. Going on without one, there is no content. */
export type ElicitationOutcome<C, A> = 'continue' extends A
  ? { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: C }
  : { readonly action: 'accept'; readonly content: C };

/** The name by which a step calls a tool, whatever clients see of it. */
export function toolReference({ backend, name }: Pick<Tool, 'backend' | 'name'>): string {
  return `${backend}.${name}`;
}
