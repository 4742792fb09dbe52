/** One step of a workflow as a call of the construct. */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#schemas';
import { inferKind } from '../../cdk8s/workflow/fields.ts';
import { forEachKind } from '../../cdk8s/workflow/for-each-kind.ts';
import { argument } from '../../cdk8s/workflow/template/argument.ts';
import type { ConsumedMapping } from '../constructs/block.ts';
import { NotRepresentable } from '../constructs/not-representable.ts';
import { isDuration, isText, oneOf } from '../constructs/prop-guards.ts';
import {
  type CallCode,
  type Code,
  type CommentedMember,
  call,
  collectReferencedNames,
  list,
  type ObjectCode,
  object,
  plain,
} from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import { emitFields } from './fields-code.ts';
import type { ExportScope, KnownOutput, KnownStep } from './scope.ts';
import { emitCondition, emitList, emitTemplate } from './template-code.ts';

/** What a step may refer to. */
export interface StepContext {
  /** The const of the workflow. */
  readonly workflow: string;
  /** The JSON Schema of the workflow's input. */
  readonly input: unknown;
  /** The steps before this one, in the order of the document. */
  readonly steps: readonly KnownStep[];
  /** Returns the expression for the tool that a step names; undefined when there is no construct for its backend. */
  readonly findTool: (reference: string) => Code | undefined;
}

export interface StepCode {
  readonly id: string;
  readonly code: CallCode;
  readonly output: KnownOutput | undefined;
}

interface StepEmitContext {
  readonly stepContext: StepContext;
  readonly scope: ExportScope;
  /** Collects the ids of the steps whose values the step reads. */
  readonly read: Set<string>;
}

/** @throws NotRepresentable */
export function emitStep(block: ConsumedMapping, stepContext: StepContext): StepCode {
  const id = block.take('id');
  if (typeof id !== 'string' || id === '') throw new NotRepresentable('a step has no `id`.');
  const waits = block.take('dependsOn') ?? [];
  if (!Array.isArray(waits)) throw new NotRepresentable('`dependsOn` is not a list.');
  // A step of the program waits for every step that it reads. So only steps that it already waits for may be read, or the export would add a
  // dependency.
  const steps = stepContext.steps.filter(step => waits.includes(step.id));
  if (waits.length !== steps.length || steps.some((step, index) => step.id !== waits[index]))
    throw new NotRepresentable(
      `\`dependsOn\` of the step \`${id}\` names a step that does not come before it, or has another order than the steps.`,
    );
  const writing = { stepContext, scope: { ...stepContext, steps }, read: new Set<string>() };
  const type = block.take('type') ?? 'tool';
  const { method, parameters, options, output } =
    KINDS[`${type}`]?.(block, writing) ?? never(`a step of type \`${type}\``);
  const common = emitCommonOptions(block, writing);
  const after = steps.filter(step => !writing.read.has(step.id)).map(step => plain(step.constant));
  const all = [
    ...common,
    ...(after.length === 0 ? [] : block.emit('after', 'dependsOn', list(after))),
    ...block.prop('timeout', 'timeout', isDuration),
    ...options,
  ];
  block.done();
  const args = [
    plain(formatStringLiteral(id)),
    ...parameters,
    ...(all.length === 0 ? [] : [{ type: 'object', members: all } as const]),
  ];
  const isUncertain = common.some(({ key, value }) => key === 'when' || (key === 'onError' && isContinue(value)));
  return { id, code: call(`${stepContext.workflow}.${method}`, ...args), output: isUncertain ? undefined : output };
}

interface KindCode {
  readonly method: string;
  readonly parameters: readonly Code[];
  readonly options: readonly CommentedMember[];
  readonly output: KnownOutput | undefined;
}

/** The output of a `forEach`, except for the part that depends on the tool. */
const FOR_EACH = {
  type: 'object',
  properties: {
    iterations: { type: 'array' },
    count: { type: 'integer' },
    completed: { type: 'integer' },
    failed: { type: 'integer' },
  },
  required: ['iterations', 'count', 'completed', 'failed'],
};

const KINDS: Readonly<Record<string, (block: ConsumedMapping, writing: StepEmitContext) => KindCode>> = {
  tool(block, writing) {
    const tool = emitTool(block, writing);
    const args = emitArguments(block, writing, writing.scope);
    const defaults = block.take('defaultResults');
    // The constructs know the output of a tool without a lock only as MCP content with the member `text`.
    const isContent =
      isObject(defaults) && Object.values(defaults).every(isText) && Object.keys(defaults).join() === 'text';
    if (defaults !== undefined && !isContent)
      throw new NotRepresentable('`defaultResults` for a tool without a lock can only contain a `text`.');
    return { method: 'step', parameters: [tool, args], options: block.prop('defaultResults'), output: undefined };
  },
  elicitation(block, { scope, read }) {
    const message = block.take('message');
    if (typeof message !== 'string') throw new NotRepresentable('an `elicitation` step has no `message`.');
    const emitted = emitTemplateText(message, scope, read, '');
    const schema = block.take('schema');
    const form = emitFields(schema, [...block.path, 'schema'], block.writer);
    const answers = ['onDecline', 'onCancel'].map(field => emitNoAnswer(block, field));
    const isAnswered = answers.every(answer => answer?.action !== 'continue');
    const content = isAnswered ? { content: schema } : {};
    const answered = {
      type: 'object',
      properties: { action: { type: 'string', enum: ['accept'] }, ...content },
      required: ['action', 'content'],
    };
    const output = { schema: answered, kind: inferKind(answered) };
    const options = answers.flatMap(answer => answer?.members ?? []);
    return { method: 'ask', parameters: [emitted, form], options, output };
  },
  forEach(block, { stepContext, scope, read }) {
    const collection = block.take('collection');
    if (typeof collection !== 'string') throw new NotRepresentable('a `forEach` step has no `collection`.');
    const itemVar = block.take('itemVar');
    if (itemVar !== undefined && itemVar !== 'item')
      throw new NotRepresentable('`itemVar` of a `forEach` step is not `item`.');
    const found = emitList(collection, scope);
    for (const step of found?.steps ?? []) read.add(step);
    const items = found?.code ?? call('Value.template<readonly unknown[]>', plain(formatStringLiteral(collection)));
    const schema = isObject(found?.value?.schema) ? found.value.schema.items : undefined;
    const step = block.block('step');
    if (step === undefined) throw new NotRepresentable('a `forEach` step has no `step`.');
    if (step.take('type') === undefined || step.peek('type') === 'tool') step.take('type');
    else throw new NotRepresentable('the `step` of a `forEach` step does not call a tool.');
    const tool = emitTool(step, { stepContext });
    const args = emitArguments(step, { read }, { ...scope, item: { schema } });
    const own = `${block.peek('id')}-item`;
    const itemId = step.peek('id') === own ? [] : step.required('itemId', 'id', isText);
    step.take('id');
    const options = [...block.props('maxParallel', 'maxIterations'), ...itemId, ...retryMember(step, 'retryItems')];
    step.done();
    const itemKind = Array.isArray(found?.value?.kind) ? found.value.kind[0] : undefined;
    const output = { schema: FOR_EACH, kind: forEachKind(itemKind, undefined) };
    const parameters = [items, tool, buildFunction(args)];
    return { method: 'forEach', parameters, options, output };
  },
};

function buildFunction(result: ObjectCode): Code {
  const texts = collectReferencedNames(result);
  const uses = (name: string) => texts.some(text => new RegExp(`^${name}\\b`).test(text));
  const parameter = uses('index') ? '(item, index)' : uses('item') ? 'item' : '()';
  return { type: 'arrow', parameter, result };
}

function emitTool(block: ConsumedMapping, { stepContext }: Pick<StepEmitContext, 'stepContext'>): Code {
  const reference = block.take('tool');
  if (typeof reference !== 'string') throw new NotRepresentable('a step has no `tool`.');
  const known = stepContext.findTool(reference);
  if (known !== undefined) return known;
  const dot = reference.indexOf('.');
  if (dot === -1)
    throw new NotRepresentable(`the tool \`${reference}\` of a step does not have the form \`backend.tool\`.`);
  return object({
    backend: plain(formatStringLiteral(reference.slice(0, dot))),
    name: plain(formatStringLiteral(reference.slice(dot + 1))),
  });
}

/** Arguments of a tool: top-level strings are templates, other values are literal. */
function emitArguments(
  block: ConsumedMapping,
  { read }: Pick<StepEmitContext, 'read'>,
  scope: ExportScope,
): ObjectCode {
  const args = block.take('arguments') ?? {};
  if (!isObject(args)) throw new NotRepresentable('`arguments` is not a mapping.');
  const { writer } = block;
  const members = Object.entries(args).map(([name, value]): CommentedMember => {
    const path = [...block.path, 'arguments', name];
    if (typeof value === 'string') return writer.member(name, emitTemplateText(value, scope, read, ''), path);
    if (!isDeepStrictEqual(argument(value), value))
      throw new NotRepresentable('a list or an object in `arguments` contains a text with template braces.');
    return writer.field(name, value, path);
  });
  return { type: 'object', members };
}

/** @param type of the value, for a template that cannot be converted */
export function emitTemplateText(text: string, scope: ExportScope, read: Set<string>, type: string): Code {
  const emitted = emitTemplate(text, scope);
  if (emitted === undefined) return call(`Value.template${type}`, plain(formatStringLiteral(text)));
  for (const step of emitted.steps) read.add(step);
  return emitted.code;
}

function emitCommonOptions(block: ConsumedMapping, { scope, read }: StepEmitContext): readonly CommentedMember[] {
  const condition = block.take('condition');
  const emitted = typeof condition === 'string' ? emitCondition(condition, scope) : undefined;
  for (const step of emitted?.steps ?? []) read.add(step);
  const when =
    condition === undefined
      ? undefined
      : (emitted?.code ?? call('Condition.template', plain(formatStringLiteral(`${condition}`))));
  return [...block.emit('when', 'condition', when), ...onErrorMember(block)];
}

function onErrorMember(block: ConsumedMapping): readonly CommentedMember[] {
  const policy = block.block('onError');
  if (policy === undefined) return [];
  const action = policy.peek('action');
  if (action !== 'abort' && action !== 'continue') return buildRetry(block, policy, 'onError');
  policy.take('action');
  policy.done();
  return block.emit('onError', 'onError', plain(formatStringLiteral(action)));
}

function retryMember(block: ConsumedMapping, key: string): readonly CommentedMember[] {
  const policy = block.block('onError');
  return policy === undefined ? [] : buildRetry(block, policy, key);
}

function buildRetry(block: ConsumedMapping, policy: ConsumedMapping, key: string): readonly CommentedMember[] {
  if (policy.take('action') !== 'retry')
    throw new NotRepresentable('`onError` has an `action` that the construct cannot express.');
  const members = [
    ...policy.required('retry', 'retryCount', oneOf(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
    ...policy.prop('delay', 'retryDelay', isDuration),
  ];
  policy.done();
  return block.emit(key, 'onError', { type: 'object', members });
}

function emitNoAnswer(block: ConsumedMapping, field: string) {
  const policy = block.block(field);
  if (policy === undefined) return undefined;
  const action = policy.take('action');
  policy.done();
  if (typeof action !== 'string') throw new NotRepresentable(`\`${field}\` has no \`action\`.`);
  return { action, members: block.emit(field, field, plain(formatStringLiteral(action))) };
}

function isContinue(code: Code): boolean {
  return code.type === 'plain' && code.text === "'continue'";
}

function never(what: string): never {
  throw new NotRepresentable(`there is no method for ${what}.`);
}
