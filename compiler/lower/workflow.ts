/** A composite tool into the plan that the workflow engine runs. */
import type {
  ArgumentPlan,
  ErrorPolicy,
  OutputProperty,
  TemplateTree,
  WorkflowCall,
  WorkflowPlan,
  WorkflowStep,
} from '#schemas';
import type { CompositeModel, StepCall } from '../gateway/composites.ts';
import type { CompositeTool, Step } from '../resolve/composite-tools.ts';
import { parseTemplate } from '../templates/index.ts';
import { durationMs, LONGEST_TIMER_MS } from './duration.ts';

const DEFAULT_WORKFLOW_TIMEOUT = '30m';
const DEFAULT_STEP_TIMEOUT = '5m';
/** Of a step that asks a person; a longer time is cut down to it. Milliseconds. */
const LONGEST_QUESTION_MS = 600_000;
const DEFAULT_RETRY_DELAY = '1s';
const DEFAULT_PARALLEL = 10;
const DEFAULT_ITERATIONS = 100;
const DEFAULT_ITEM = 'item';

/** @param composite of a gateway without errors: its templates parse, its steps have no cycle, and the lock knows its tools */
export function lowerWorkflow({ tool, calls }: CompositeModel): WorkflowPlan {
  const callOf = (step: Step) => calls.find(call => call.step === step);
  return {
    name: tool.name,
    parameters: tool.parameters ?? { type: 'object' },
    timeoutMs: milliseconds(tool.timeout ?? DEFAULT_WORKFLOW_TIMEOUT),
    steps: inOrder(tool.steps).map(step => lowerStep(step, callOf(step))),
    output:
      tool.output === undefined
        ? null
        : { properties: lowerProperties(tool.output.properties), required: tool.output.required ?? [] },
  };
}

/** Each step behind those that it depends on, otherwise as they are written. */
function inOrder(steps: readonly Step[]): readonly Step[] {
  const ordered = new Map<string, Step>();
  let left = steps;
  while (left.length > 0) {
    const ready = left.filter(({ dependsOn = [] }) => dependsOn.every(id => ordered.has(id)));
    if (ready.length === 0) throw new Error('the steps of a workflow wait for each other');
    for (const step of ready) ordered.set(step.id, step);
    left = left.filter(step => !ready.includes(step));
  }
  return [...ordered.values()];
}

function lowerStep(step: Step, call: StepCall | undefined): WorkflowStep {
  const { condition = '' } = step;
  const timeoutMs = milliseconds(step.timeout ?? DEFAULT_STEP_TIMEOUT);
  const common = {
    id: step.id,
    dependsOn: [...new Set(step.dependsOn ?? [])],
    condition: condition === '' ? null : treeOf(condition),
    timeoutMs,
    onError: policyOf(step.onError),
    ...(step.defaultResults !== undefined && { defaultResults: step.defaultResults }),
  };
  if (step.type === 'elicitation') {
    return {
      ...common,
      type: 'elicitation',
      timeoutMs: Math.min(timeoutMs, LONGEST_QUESTION_MS),
      message: treeOf(step.message ?? ''),
      schema: step.schema ?? { type: 'object' },
      onDecline: step.onDecline?.action ?? 'abort',
      onCancel: step.onCancel?.action ?? 'abort',
    };
  }
  if (call === undefined) throw new Error(`step "${step.id}" calls no tool`);
  if (step.type !== 'forEach') return { ...common, type: 'tool', call: lowerCall(call) };
  return {
    ...common,
    type: 'forEach',
    collection: treeOf(step.collection ?? ''),
    itemVar: step.itemVar || DEFAULT_ITEM,
    maxParallel: step.maxParallel || DEFAULT_PARALLEL,
    maxIterations: step.maxIterations || DEFAULT_ITERATIONS,
    call: lowerCall(call),
    callOnError: policyOf(step.step?.onError),
  };
}

function lowerCall({ call, target }: StepCall): WorkflowCall {
  if (target.type !== 'tool') throw new Error(`the tool lock does not know "${call.tool}"`);
  const { backend, originalName, definition } = target.tool;
  return {
    backend,
    tool: originalName,
    arguments: Object.fromEntries(
      Object.entries(call.arguments ?? {}).map(([name, value]): [string, ArgumentPlan] => [
        name,
        typeof value === 'string'
          ? { template: treeOf(value), types: typesOf(definition.inputSchema, name) }
          : { value },
      ]),
    ),
  };
}

/** What the input schema says an argument is; empty when it does not. */
function typesOf(schema: unknown, name: string): readonly string[] {
  const properties = memberOf(schema, 'properties');
  const type = memberOf(memberOf(properties, name), 'type');
  return [type].flat().filter(one => typeof one === 'string');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function policyOf(policy: Step['onError']): ErrorPolicy {
  switch (policy?.action) {
    case 'continue':
      return { action: 'continue' };
    case 'retry':
      return {
        action: 'retry',
        count: policy.retryCount ?? 0,
        delayMs: milliseconds(policy.retryDelay ?? DEFAULT_RETRY_DELAY),
      };
    default:
      return { action: 'abort' };
  }
}

type Properties = NonNullable<CompositeTool['output']>['properties'];

function lowerProperties(properties: Properties): { readonly [name: string]: OutputProperty } {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type, value, properties: nested, default: fallback }]) => [
      name,
      {
        type,
        from:
          value !== undefined && value !== ''
            ? { template: treeOf(value) }
            : { properties: lowerProperties((nested ?? {}) as Properties) },
        ...(fallback !== undefined && { default: fallback }),
      },
    ]),
  );
}

function treeOf(text: string): TemplateTree {
  const parsed = parseTemplate(text);
  if ('tree' in parsed) return parsed.tree;
  throw new Error('the template does not parse');
}

function milliseconds(duration: string): number {
  return Math.min(durationMs(duration), LONGEST_TIMER_MS);
}
