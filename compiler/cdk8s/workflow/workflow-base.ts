import { Construct } from 'constructs';
import type { GatewayConfig } from '#schemas';
import { type Call, type CallSite, captureCall } from '../origins.ts';
import type { Tool, ToolSignature, ValueKind } from '../tool.ts';
import { conditionText } from './condition.ts';
import {
  collectExpressions,
  createReference,
  type Expression,
  type ExpressionOrigin,
  getNode,
  requireExpression,
} from './expression.ts';
import { type InputSpec, inferKind, toJsonSchema, type ValuesOf } from './fields.ts';
import { forEachKind } from './for-each-kind.ts';
import { type OutputProperties, renderOutput } from './output.ts';
import type { Ref, Reference, Text } from './reference.ts';
import type {
  AnyStep,
  ArgumentsOf,
  AskOptions,
  Duration,
  ElicitationOutcome,
  ForEachOptions,
  ForEachOutput,
  NoExtraKeys,
  OnError,
  OnNoResponse,
  OptionalWhen,
  OutputOf,
  Retry,
  Step,
  StepOf,
  StepOptions,
} from './step.ts';
import { toolReference } from './step.ts';
import { argument } from './template/argument.ts';
import { TemplateWriter } from './template/writer.ts';

export type CompositeTool = NonNullable<GatewayConfig['compositeTools']>[number];
type StepSpec = CompositeTool['steps'][number];

/** Maximum number of steps of one workflow. */
const MAX_STEPS = 100;

export interface WorkflowProps<I extends InputSpec> {
  /** Name of the tool that clients see. Default: the id of the construct. */
  readonly name?: string;
  /** What the workflow does; clients choose tools by it. */
  readonly description: string;
  /** The input: short field notation, a JSON Schema, or a schema of zod and similar libraries. Default: none. */
  readonly input?: I;
  /** Maximum duration. Default: 30m. */
  readonly timeout?: Duration;
  /** Hints for clients. A workflow cannot claim to be safer than the tools that it calls. */
  readonly annotations?: NonNullable<CompositeTool['annotations']>;
}

/** The steps of a workflow, inline or in an object of its own. */
export abstract class WorkflowBase<const I extends InputSpec> extends Construct {
  /** The name of the workflow's tool, as clients see it. */
  readonly toolName: string;
  /** The caller's input, with defaults filled in. */
  readonly input: Ref<ValuesOf<I>>;
  readonly #props: WorkflowProps<I>;
  readonly #parameters: Readonly<Record<string, unknown>> | undefined;
  readonly #steps: StepSpec[] = [];
  readonly #origins: { readonly pointer: string; readonly callSite: CallSite }[] = [];
  #output: CompositeTool['output'];

  protected constructor(scope: Construct, id: string, props: WorkflowProps<I>, call: Call) {
    super(scope, id);
    this.toolName = props.name ?? id;
    this.#props = props;
    this.#parameters = props.input === undefined ? undefined : toJsonSchema(props.input);
    this.input = this.#value(['params'], inferKind(this.#parameters), []) as Ref<ValuesOf<I>>;
    this.#note('', call.at(2));
    this.#note('/name', props.name === undefined ? call.at(1) : call.at(2, 'name'));
    for (const field of ['description', 'timeout', 'annotations'] as const) this.#note(`/${field}`, call.at(2, field));
    this.#note('/parameters', call.at(2, 'input'));
    this.node.addValidation({ validate: () => (this.#steps.length === 0 ? ['the workflow has no steps'] : []) });
  }

  /**
   * Calls a tool. The step waits for the steps whose values it uses in arguments, texts and its condition.
   *
   * @param id unique in the workflow
   * @example
   * const found = wf.step('search', github.tools.search, { query: t`repo:${wf.input.repo} is:open` });
   * wf.step('create', github.tools.create_issue, { title: t`${found.output.total} open` }, { timeout: '30s' });
   * @throws TypeError for a duplicate id, and for values of another workflow
   */
  step<
    S extends ToolSignature,
    W extends OptionalWhen = undefined,
    E extends OnError | undefined = undefined,
    D extends OutputOf<S> | undefined = undefined,
  >(
    id: string,
    tool: Tool<S>,
    args: ArgumentsOf<S['input']>,
    options: StepOptions<W, E, D> = {},
  ): StepOf<OutputOf<S>, W, E, D> {
    const call = captureCall(WorkflowBase.prototype.step);
    const pointer = this.#add(id, options, [args], call, 3, {
      tool: toolReference(tool),
      ...this.#arguments(args),
    });
    this.#note(`${pointer}/tool`, call.at(1));
    this.#noteArguments(`${pointer}/arguments`, args, name => call.at(2, ...name));
    return this.#step(id, tool.output) as StepOf<OutputOf<S>, W, E, D>;
  }

  /**
   * Asks the calling person by elicitation. Without an answer the workflow fails, unless `onDecline` and `onCancel` say otherwise.
   *
   * @param form the requested fields: strings, numbers, Booleans and choices
   * @example
   * const answer = wf.ask('confirm', t`Close ${found.output.total} issues?`, { reason: 'string', silent: 'boolean?' });
   * wf.step('close', github.tools.close_all, { comment: answer.output.content.reason });
   */
  ask<
    const F extends InputSpec,
    W extends OptionalWhen = undefined,
    E extends OnError | undefined = undefined,
    A extends OnNoResponse = 'abort',
    D extends ElicitationOutcome<ValuesOf<F>, A> | undefined = undefined,
  >(
    id: string,
    message: string | Text | Reference<string>,
    form: F,
    options: AskOptions<W, E, D, A> = {},
  ): StepOf<ElicitationOutcome<ValuesOf<F>, A>, W, E, D> {
    const call = captureCall(WorkflowBase.prototype.ask);
    const schema = toJsonSchema(form);
    const { onDecline, onCancel } = options;
    const pointer = this.#add(id, options, [message], call, 3, {
      type: 'elicitation',
      message: String(argument(message)),
      schema,
      ...(onDecline !== undefined && { onDecline: { action: onDecline } }),
      ...(onCancel !== undefined && { onCancel: { action: onCancel } }),
    });
    this.#note(`${pointer}/message`, call.at(1));
    this.#note(`${pointer}/schema`, call.at(2));
    for (const field of ['onDecline', 'onCancel'] as const) this.#note(`${pointer}/${field}`, call.at(3, field));
    const content = inferKind(schema);
    const kind: ValueKind = { action: 'string', ...(content !== undefined && { content }) };
    return this.#step(id, kind) as StepOf<ElicitationOutcome<ValuesOf<F>, A>, W, E, D>;
  }

  /**
   * Calls a tool for each item of a list.
   *
   * @param args gives the arguments for an item; `index` counts from 0
   * @example
   * wf.forEach('label', found.output.items, github.tools.add_label, issue => ({ number: issue.number, label: 'stale' }));
   */
  forEach<
    I,
    S extends ToolSignature,
    A extends ArgumentsOf<S['input']>,
    W extends OptionalWhen = undefined,
    E extends OnError | undefined = undefined,
    D extends ForEachOutput<I, OutputOf<S>> | undefined = undefined,
  >(
    id: string,
    list: Reference<readonly I[]>,
    tool: Tool<S>,
    args: (item: Ref<I>, index: Reference<number>) => A & NoExtraKeys<A, S['input']>,
    options: ForEachOptions<W, E, D> = {},
  ): StepOf<ForEachOutput<I, OutputOf<S>>, W, E, D> {
    const call = captureCall(WorkflowBase.prototype.forEach);
    const template = getNode(list);
    const listed = template?.type === 'template' ? undefined : this.#checked(requireExpression(list));
    const itemKind = Array.isArray(listed?.kind) ? (listed.kind as readonly [ValueKind])[0] : undefined;
    const own = {};
    const origin: ExpressionOrigin = { workflow: this, steps: [], forEach: own };
    const item = createReference({ ...scope(['forEach', 'item']), kind: itemKind, origin }) as Ref<I>;
    const index = createReference({ ...scope(['forEach', 'index']), kind: 'count', origin }) as Reference<number>;
    const stepArguments = args(item, index);
    const { itemId = `${id}-item`, maxParallel, maxIterations, retryItems } = options;
    const pointer = this.#add(
      id,
      options,
      [list, stepArguments],
      call,
      4,
      {
        type: 'forEach',
        // Renders any list as the text of a JSON array.
        collection: listed === undefined ? String(argument(list)) : new TemplateWriter().json([listed]),
        ...(maxParallel !== undefined && { maxParallel }),
        ...(maxIterations !== undefined && { maxIterations }),
        step: {
          id: itemId,
          tool: toolReference(tool),
          ...this.#arguments(stepArguments),
          ...(retryItems !== undefined && { onError: toOnError(retryItems) }),
        },
      },
      own,
    );
    this.#note(`${pointer}/collection`, call.at(1));
    this.#note(`${pointer}/step/tool`, call.at(2));
    this.#note(`${pointer}/step/arguments`, call.at(3));
    for (const field of ['maxParallel', 'maxIterations'] as const) this.#note(`${pointer}/${field}`, call.at(4, field));
    this.#note(`${pointer}/step/id`, options.itemId === undefined ? call.at(0) : call.at(4, 'itemId'));
    this.#note(`${pointer}/step/onError`, call.at(4, 'retryItems'));
    return this.#step(id, forEachKind(itemKind, tool.output)) as StepOf<ForEachOutput<I, OutputOf<S>>, W, E, D>;
  }

  /**
   * The result of the workflow. Default: the output of the last step.
   *
   * @example
   * wf.returns({ total: { type: 'integer', description: 'Open issues', value: found.output.total } }, { required: ['total'] });
   * @throws TypeError when it is called twice
   */
  returns<const P extends OutputProperties>(
    properties: P,
    options: { readonly required?: readonly (keyof P & string)[] } = {},
  ): void {
    const call = captureCall(WorkflowBase.prototype.returns);
    if (this.#output !== undefined) throw new TypeError(`workflow "${this.toolName}" has an output already`);
    for (const expression of collectExpressions(properties)) this.#checked(expression);
    const { required } = options;
    this.#output = {
      properties: renderOutput(properties),
      ...(required !== undefined && { required: [...required] }),
    } as NonNullable<CompositeTool['output']>;
    this.#note('/output', call.at());
    this.#note('/output/properties', call.at(0));
    this.#note('/output/required', call.at(1, 'required'));
  }

  /** The composite tool in manifest form. */
  render(): CompositeTool {
    const { description, timeout, annotations } = this.#props;
    return {
      name: this.toolName,
      description,
      ...(this.#parameters !== undefined && { parameters: this.#parameters }),
      ...(timeout !== undefined && { timeout }),
      steps: [...this.#steps],
      ...(this.#output !== undefined && { output: this.#output }),
      ...(annotations !== undefined && { annotations: { ...annotations } }),
    };
  }

  /** Where in the program the parts of the workflow come from. Pointers (RFC 6901) start at the root of the result of `render`. */
  origins(): readonly { readonly pointer: string; readonly callSite: CallSite }[] {
    return this.#origins;
  }

  /** Returns the pointer of the step. */
  #add(
    id: string,
    options: StepOptions<OptionalWhen, OnError | undefined, unknown>,
    values: readonly unknown[],
    call: Call,
    optionsAt: number,
    spec: Omit<StepSpec, 'id'>,
    forEach?: object,
  ): string {
    if (id === '') throw new TypeError('the id of a step is empty');
    if (this.#steps.some(step => step.id === id)) {
      throw new TypeError(`workflow "${this.toolName}" has a step "${id}" already`);
    }
    if (this.#steps.length >= MAX_STEPS) throw new TypeError(`a workflow has ${MAX_STEPS} steps at most`);
    const { when, onError, defaultResults, after = [], timeout } = options;
    const read = [
      ...values.flatMap(collectExpressions).map(expression => this.#checked(expression, forEach)),
      ...collectExpressions(when).map(expression => this.#checked(expression)),
      ...after.map(step => this.#checked(requireExpression(step.status))),
    ];
    const names = new Set(read.flatMap(({ origin }) => origin.steps));
    const dependsOn = this.#steps.flatMap(step => (names.has(step.id) ? [step.id] : []));
    const pointer = `/steps/${this.#steps.length}`;
    this.#steps.push({
      id,
      ...spec,
      ...(when !== undefined && { condition: conditionText(when) }),
      ...(dependsOn.length > 0 && { dependsOn }),
      ...(timeout !== undefined && { timeout }),
      ...(onError !== undefined && { onError: toOnError(onError) }),
      ...(defaultResults !== undefined && { defaultResults: JSON.parse(JSON.stringify(defaultResults)) }),
    } as StepSpec);
    this.#note(pointer, call.at());
    this.#note(`${pointer}/id`, call.at(0));
    this.#note(`${pointer}/condition`, call.at(optionsAt, 'when'));
    this.#note(`${pointer}/dependsOn`, call.at(optionsAt, 'after'));
    for (const field of ['timeout', 'onError', 'defaultResults'] as const) {
      this.#note(`${pointer}/${field}`, call.at(optionsAt, field));
    }
    return pointer;
  }

  #arguments(args: object): Pick<StepSpec, 'arguments'> {
    const entries = Object.entries(args).filter(([, value]) => value !== undefined);
    if (entries.length === 0) return {};
    return { arguments: Object.fromEntries(entries.map(([name, value]) => [name, argument(value)])) };
  }

  #noteArguments(pointer: string, args: object, at: (name: readonly string[]) => CallSite): void {
    this.#note(pointer, at([]));
    for (const name of Object.keys(args)) {
      this.#note(`${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, at([name]));
    }
  }

  #step(id: string, kind: ValueKind | undefined): Step<unknown> {
    const status = this.#value(['steps', id, 'status'], 'string', [id]) as AnyStep['status'];
    return { id, status, output: this.#value(['steps', id, 'output'], kind, [id]) as Ref<unknown> };
  }

  #value(path: readonly string[], kind: ValueKind | undefined, steps: readonly string[]): object {
    return createReference({ ...scope(path), kind, origin: { workflow: this, steps } });
  }

  #checked(expression: Expression, forEach?: object): Expression {
    const { origin } = expression;
    if (origin.workflow !== this) {
      throw new TypeError(`workflow "${this.toolName}" is given a value of another workflow`);
    }
    if (origin.forEach !== undefined && origin.forEach !== forEach) {
      throw new TypeError('the item of a forEach has a value only in the arguments of its own step');
    }
    return expression;
  }

  #note(pointer: string, stepArguments: CallSite): void {
    this.#origins.push({ pointer, callSite: stepArguments });
  }
}

function scope(path: readonly string[]): Pick<Expression, 'type' | 'base' | 'fields'> {
  return { type: 'expression', base: { type: 'scope', path }, fields: [] };
}

function toOnError(onError: OnError): NonNullable<StepSpec['onError']> {
  if (typeof onError === 'string') return { action: onError };
  const { retry, delay } = onError satisfies Retry;
  return { action: 'retry', retryCount: retry, ...(delay !== undefined && { retryDelay: delay }) };
}
