/** Lowers a composite tool into the plan of the workflow engine. */
import type {
  ArgumentPlan,
  ErrorPolicy,
  OutputProperty,
  TemplateTree,
  ToolReference,
  WorkflowCall,
  WorkflowPlan,
  WorkflowStep,
  WorkflowTool,
} from '#schemas';
import { listArgumentTypes } from '#shared/plan';
import type { CompositeTool, Step } from '../../resolve/composite-tools.ts';
import { LONGEST_TIMER_MS, parseDurationMs } from '../../text/duration.ts';
import { parseTemplate } from '../templates/index.ts';
import type { CompositeModel, StepCall } from './composites.ts';

const DEFAULT_WORKFLOW_TIMEOUT = '30m';
const DEFAULT_STEP_TIMEOUT = '5m';
/** Maximum time, in milliseconds, that an elicitation step waits for a person; longer timeouts are shortened to it. */
const LONGEST_QUESTION_MS = 600_000;
const DEFAULT_RETRY_DELAY = '1s';
const DEFAULT_PARALLEL = 10;
const DEFAULT_ITERATIONS = 100;
const DEFAULT_ITEM = 'item';

/** @param composite of a gateway without errors: its templates parse, its steps have no cycle, and the lock knows its tools */
export function lowerWorkflow({ tool, calls }: CompositeModel): WorkflowPlan {
  return lowerPlan(tool, step => {
    const call = calls.find(entry => entry.step === step);
    if (call === undefined) throw new Error(`step "${step.id}" calls no tool`);
    return lowerCall(call);
  });
}

/**
 * A workflow as bundles contain it: the caller of this function resolves which tools its steps call.
 * @returns undefined for a workflow with errors, which other code reports
 */
export function lowerWorkflowTool(tool: CompositeTool): WorkflowTool | undefined {
  try {
    return {
      ...lowerPlan(tool, toReference),
      description: tool.description ?? '',
      annotations: { ...tool.annotations },
      outputSchema: buildOutputSchema(tool.output),
    };
  } catch (error) {
    if (error instanceof UnfitWorkflow) return undefined;
    throw error;
  }
}

/** The output schema that clients get for a workflow; null when it depends on which step ends last. */
export function buildOutputSchema(output: CompositeTool['output']): WorkflowTool['outputSchema'] {
  if (output === undefined) return null;
  const { properties, required = [] } = output;
  return { type: 'object', properties: toPropertySchemas(properties), ...(required.length === 0 ? {} : { required }) };
}

function toPropertySchemas(properties: Properties): { readonly [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type, description, properties: nested }]) => [
      name,
      {
        type,
        ...(description === undefined ? {} : { description }),
        ...(nested === undefined ? {} : { properties: toPropertySchemas(nested as Properties) }),
      },
    ]),
  );
}

/** Thrown for a workflow with an error in its spec. */
class UnfitWorkflow extends Error {}

function lowerPlan<Call>(tool: CompositeTool, callOf: (step: Step) => Call): WorkflowPlan<Call> {
  return {
    name: tool.name,
    parameters: tool.parameters ?? { type: 'object' },
    timeoutMs: toMilliseconds(tool.timeout ?? DEFAULT_WORKFLOW_TIMEOUT),
    steps: sortSteps(tool.steps).map(step => lowerStep(step, callOf)),
    output:
      tool.output === undefined
        ? null
        : { properties: lowerProperties(tool.output.properties), required: tool.output.required ?? [] },
  };
}

/** Sorts steps topologically; independent steps keep their order. */
function sortSteps(steps: readonly Step[]): readonly Step[] {
  const ordered = new Map<string, Step>();
  let remaining = steps;
  while (remaining.length > 0) {
    const ready = remaining.filter(({ dependsOn = [] }) => dependsOn.every(id => ordered.has(id)));
    if (ready.length === 0) throw new UnfitWorkflow('the steps of a workflow wait for each other');
    for (const step of ready) ordered.set(step.id, step);
    remaining = remaining.filter(step => !ready.includes(step));
  }
  return [...ordered.values()];
}

function lowerStep<Call>(step: Step, callOf: (step: Step) => Call): WorkflowStep<Call> {
  const { condition = '' } = step;
  const timeoutMs = toMilliseconds(step.timeout ?? DEFAULT_STEP_TIMEOUT);
  const common = {
    id: step.id,
    dependsOn: [...new Set(step.dependsOn ?? [])],
    condition: condition === '' ? null : parseTree(condition),
    timeoutMs,
    onError: toErrorPolicy(step.onError),
    ...(step.defaultResults !== undefined && { defaultResults: step.defaultResults }),
  };
  if (step.type === 'elicitation') {
    return {
      ...common,
      type: 'elicitation',
      timeoutMs: Math.min(timeoutMs, LONGEST_QUESTION_MS),
      message: parseTree(step.message ?? ''),
      schema: step.schema ?? { type: 'object' },
      onDecline: step.onDecline?.action ?? 'abort',
      onCancel: step.onCancel?.action ?? 'abort',
    };
  }
  const call = callOf(step);
  if (step.type !== 'forEach') return { ...common, type: 'tool', call };
  return {
    ...common,
    type: 'forEach',
    collection: parseTree(step.collection ?? ''),
    itemVar: step.itemVar || DEFAULT_ITEM,
    maxParallel: step.maxParallel || DEFAULT_PARALLEL,
    maxIterations: step.maxIterations || DEFAULT_ITERATIONS,
    call,
    callOnError: toErrorPolicy(step.step?.onError),
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
          ? { template: parseTree(value), types: listArgumentTypes(definition.inputSchema, name) }
          : { value },
      ]),
    ),
  };
}

function toReference(step: Step): ToolReference {
  const call = step.type === 'forEach' ? step.step : step;
  if (call?.tool === undefined || call.tool === '') throw new UnfitWorkflow(`step "${step.id}" calls no tool`);
  return {
    reference: call.tool,
    arguments: Object.fromEntries(
      Object.entries(call.arguments ?? {}).map(([name, value]) => [
        name,
        typeof value === 'string' ? { template: parseTree(value) } : { value },
      ]),
    ),
  };
}

function toErrorPolicy(policy: Step['onError']): ErrorPolicy {
  switch (policy?.action) {
    case 'continue':
      return { action: 'continue' };
    case 'retry':
      return {
        action: 'retry',
        count: policy.retryCount ?? 0,
        delayMs: toMilliseconds(policy.retryDelay ?? DEFAULT_RETRY_DELAY),
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
            ? { template: parseTree(value) }
            : { properties: lowerProperties((nested ?? {}) as Properties) },
        ...(fallback !== undefined && { default: fallback }),
      },
    ]),
  );
}

function parseTree(text: string): TemplateTree {
  const parsed = parseTemplate(text);
  if ('tree' in parsed) return parsed.tree;
  throw new UnfitWorkflow('the template does not parse');
}

function toMilliseconds(duration: string): number {
  return Math.min(parseDurationMs(duration), LONGEST_TIMER_MS);
}
