/** The served workflows of a gateway: each call is resolved to a tool of a backend. */
import type {
  BackendPlan,
  CatalogItem,
  ToolReference,
  WorkflowCall,
  WorkflowPlan,
  WorkflowStep,
  WorkflowTool,
} from '#schemas';
import {
  buildWorkflowDefinition,
  type CallableTools,
  findOverride,
  findStepTool,
  isSafeBy,
  listArgumentTypes,
  type OfferedTool,
  type ParamHeader,
  presentTool,
  readParamHeaders,
  SAFETY_CLAIMS,
} from '#shared/plan';
import type { Withheld } from './withheld.ts';

/** A tool that steps can call. */
export interface CallableTool {
  readonly backend: string;
  readonly originalName: string;
  /** The definition in the form that clients see, or would see if the tool were not hidden. */
  readonly definition: CatalogItem;
  /** Whether its backend is available. */
  readonly available: boolean;
}

export interface ServedWorkflow {
  readonly name: string;
  /** The definition in the form that clients see. */
  readonly definition: CatalogItem;
  /** The plan, in which every call names its tool and backend. */
  readonly plan: WorkflowPlan;
  /** The backends that its steps call, without duplicates. */
  readonly backends: readonly string[];
  /** Whether all of its backends are available. */
  readonly available: boolean;
  /** Arguments that backends require as headers, by backend and tool in the form of {@link formatToolKey}. */
  readonly headers: ReadonlyMap<string, readonly ParamHeader[]>;
  /** The names by which clients know its tools, or would if the tools were not hidden, by backend and tool in the form of {@link formatToolKey}. */
  readonly names: ReadonlyMap<string, string>;
}

export function formatToolKey({ backend, tool }: Pick<WorkflowCall, 'backend' | 'tool'>): string {
  return `${backend} ${tool}`;
}

/** The tools of a backend. */
interface ToolOffers {
  readonly plan: Pick<BackendPlan, 'tools'>;
  readonly available: boolean;
}

/** The tools of a table. Its indexes are built on first use, because gateways without workflows need none. */
export class TableTools implements CallableTools<CallableTool> {
  readonly #tools: readonly OfferedTool[];
  readonly #offers: ReadonlyMap<string, ToolOffers>;
  #byName: ReadonlyMap<string, OfferedTool> | undefined;
  #byOwner: ReadonlyMap<string, OfferedTool> | undefined;

  constructor(tools: readonly OfferedTool[], offers: ReadonlyMap<string, ToolOffers>) {
    this.#tools = tools;
    this.#offers = offers;
  }

  findByName(name: string): CallableTool | undefined {
    this.#byName ??= new Map(this.#tools.map(tool => [tool.name, tool]));
    return this.#toCallable(this.#byName.get(name));
  }

  findByOriginalName(backend: string, originalName: string): CallableTool | undefined {
    return this.#toCallable(this.#findOwned(backend, originalName));
  }

  /** The gateway's name for a tool. */
  findName(backend: string, originalName: string): string | undefined {
    return this.#findOwned(backend, originalName)?.name;
  }

  #findOwned(backend: string, tool: string): OfferedTool | undefined {
    this.#byOwner ??= new Map(
      this.#tools.map(entry => [formatToolKey({ backend: entry.backend, tool: entry.originalName }), entry]),
    );
    return this.#byOwner.get(formatToolKey({ backend, tool }));
  }

  #toCallable(tool: OfferedTool | undefined): CallableTool | undefined {
    const offer = tool && this.#offers.get(tool.backend);
    if (tool === undefined || offer === undefined) return undefined;
    const { backend, originalName, item, name } = tool;
    const definition = presentTool(item, name, findOverride(offer.plan.tools.overrides, originalName));
    return { backend, originalName, definition, available: offer.available };
  }
}

/** The tools of callers with lists of their own: the callers' own names, and the shared table for all other names. */
export function createCallableTools(
  names: Pick<ReadonlySet<string>, 'has'>,
  own: TableTools,
  shared: TableTools,
): CallableTools<CallableTool> {
  return {
    findByName: name => (names.has(name) ? own : shared).findByName(name),
    findByOriginalName: (backend, originalName) => {
      const name = shared.findName(backend, originalName);
      return name === undefined || names.has(name)
        ? own.findByOriginalName(backend, originalName)
        : shared.findByOriginalName(backend, originalName);
    },
  };
}

export interface WorkflowOffers {
  readonly served: readonly ServedWorkflow[];
  readonly withheld: readonly Withheld[];
}

/**
 * Finds the workflows that a table can serve.
 * @param backends the names of all backends
 */
export function serveWorkflows(
  workflows: readonly WorkflowTool[],
  backends: readonly string[],
  tools: CallableTools<CallableTool>,
): WorkflowOffers {
  const served: ServedWorkflow[] = [];
  const withheld: Withheld[] = [];
  for (const workflow of workflows) {
    const { name } = workflow;
    const found = serveWorkflow(workflow, backends, tools);
    if ('plan' in found) served.push(found);
    else withheld.push({ kind: 'tools', backend: '', name, originalName: name, ...found });
  }
  return { served, withheld };
}

function serveWorkflow(
  workflow: WorkflowTool,
  backends: readonly string[],
  tools: CallableTools<CallableTool>,
): ServedWorkflow | Pick<Withheld, 'reason' | 'detail'> {
  const { name, steps, annotations } = workflow;
  const rival = tools.findByName(name);
  if (rival !== undefined)
    return { reason: 'collision', detail: `"${rival.originalName}" of backend "${rival.backend}" has this name` };
  const calls = steps.flatMap(step => (step.type === 'elicitation' ? [] : [step]));
  const called = new Map<string, CallableTool>();
  for (const { id, call } of calls) {
    const tool = findStepTool(call.reference, backends, tools);
    if (tool === undefined)
      return { reason: 'unknown_tool', detail: `step "${id}" calls "${call.reference}", which no backend offers` };
    called.set(call.reference, tool);
  }
  const definitions = calls.map(({ call }) => called.get(call.reference)?.definition);
  for (const { hint, safe } of SAFETY_CLAIMS) {
    if (annotations[hint] !== safe) continue;
    const at = definitions.findIndex(definition => definition !== undefined && !isSafeBy(hint, definition));
    if (at < 0) continue;
    const detail = `it claims ${hint} ${safe}, which is not true of the tool that step "${calls[at]?.id}" calls`;
    return { reason: 'unsafe_claim', detail };
  }
  const resolve = ({ reference, arguments: planned }: ToolReference): WorkflowCall => {
    const { backend, originalName, definition } = called.get(reference) as CallableTool;
    const args = Object.entries(planned).map(([argument, value]) => [
      argument,
      'template' in value ? { ...value, types: listArgumentTypes(definition.inputSchema, argument) } : value,
    ]);
    return { backend, tool: originalName, arguments: Object.fromEntries(args) };
  };
  const { description: _, annotations: __, outputSchema: ___, ...plan } = workflow;
  const all = [...called.values()];
  return {
    name,
    definition: buildWorkflowDefinition(workflow, definitions),
    plan: { ...plan, steps: steps.map(step => resolveStep(step, resolve)) },
    backends: [...new Set(all.map(({ backend }) => backend))],
    available: all.every(({ available }) => available),
    headers: new Map(all.flatMap(getHeaderEntry)),
    names: new Map(
      all.map(({ backend, originalName, definition }) => [
        formatToolKey({ backend, tool: originalName }),
        definition.name as string,
      ]),
    ),
  };
}

function resolveStep(step: WorkflowStep<ToolReference>, resolve: (call: ToolReference) => WorkflowCall): WorkflowStep {
  return step.type === 'elicitation' ? step : { ...step, call: resolve(step.call) };
}

function getHeaderEntry({ backend, originalName, definition }: CallableTool): [string, readonly ParamHeader[]][] {
  const paramHeaders = readParamHeaders(definition.inputSchema);
  return paramHeaders.ok && paramHeaders.headers.length > 0
    ? [[formatToolKey({ backend, tool: originalName }), paramHeaders.headers]]
    : [];
}
