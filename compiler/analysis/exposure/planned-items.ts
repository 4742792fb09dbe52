/** The items of a gateway and their callers according to its bundle, which has the names of all items in the tool lock. */
import type { CatalogItem, GatewayBundle, WorkflowTool } from '#schemas';
import {
  buildCedarAttributes,
  buildWorkflowDefinition,
  CEDAR_ACTIONS,
  type CedarAction,
  findOverride,
  findStepTool,
  readUriTemplate,
  resolvePromptNames,
  resolveResourceHolders,
  resolveTools,
} from '#shared/plan';
import { evaluateUnplaced } from '../cedar/access.ts';
import { formatEntityUid } from '../cedar/expression.ts';
import { parsePolicies } from '../cedar/parse-policies.ts';
import type { PartialRequest } from '../cedar/partial-request.ts';
import type { ToolModel } from '../gateway/model.ts';
import { ToolNames } from '../gateway/tool-names.ts';
import { EVERYONE, NO_CALLERS, toWho, uniteCallers } from './caller-sets.ts';
import type { ExposedCall, ExposedComposite, ExposedTool, Exposure, Hints, Who } from './exposure.ts';
import { readCompositeHints } from './hints.ts';
import { GATEWAY_LEAVES } from './plan/gateway-leaves.ts';
import { planView } from './plan/plan-view.ts';
import { isOptional, readSteps } from './plan/planned-steps.ts';
import { toBackendHints } from './report-hints.ts';

type ItemList = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

export interface PlannedItems {
  readonly tools: readonly Pick<
    ExposedTool,
    'name' | 'backend' | 'originalName' | 'visibility' | 'direct' | 'through' | 'reach'
  >[];
  readonly composites: readonly Pick<ExposedComposite, 'name' | 'direct' | 'hints' | 'calls'>[];
  readonly prompts: readonly Pick<Exposure['prompts'][number], 'name' | 'backend' | 'originalName' | 'direct'>[];
  readonly resources: readonly Pick<Exposure['resources'][number], 'uri' | 'backend' | 'direct'>[];
  readonly resourceTemplates: PlannedItems['resources'];
  readonly withheld: readonly Pick<
    Exposure['withheld'][number],
    'type' | 'name' | 'backend' | 'originalName' | 'reason'
  >[];
}

/**
 * Whether the exposure lacks an item of the tool lock, or hides a tool because of its schema. The bundle has no schemas, so it cannot confirm that one is
 * invalid. A gateway also leaves out items that no client could read.
 */
export function findUnlisted(exposure: Exposure, bundle: GatewayBundle): boolean {
  const { tools, prompts, resources, resourceTemplates, withheld } = exposure;
  if (withheld.some(({ reason }) => reason === 'invalid_schema')) return true;
  const listed: { readonly [L in ItemList]: ReadonlySet<string> } = {
    tools: new Set(tools.map(({ backend, originalName }) => key(backend, originalName))),
    prompts: new Set(prompts.map(({ backend, originalName }) => key(backend, originalName))),
    resources: new Set(resources.map(({ backend, uri }) => key(backend, uri))),
    resourceTemplates: new Set(resourceTemplates.map(({ backend, uri }) => key(backend, uri))),
  };
  const withheldKeys = new Set(withheld.map(({ backend, originalName }) => key(backend, originalName)));
  return (Object.keys(listed) as ItemList[]).some(list =>
    bundle.backends.some(backend =>
      listNames(backend, list).some(name => {
        const isReadable = list !== 'resourceTemplates' || readUriTemplate(name) !== undefined;
        return isReadable && !listed[list].has(key(backend.name, name)) && !withheldKeys.has(key(backend.name, name));
      }),
    ),
  );
}

function listNames({ locked }: GatewayBundle['backends'][number], list: ItemList): readonly string[] {
  return [...new Set(locked?.[list])];
}

function key(backend: string, name: string): string {
  return JSON.stringify([backend, name]);
}

/** @param exposure has the hints of tools, which the bundle lacks */
export function planItems(exposure: Exposure, bundle: GatewayBundle): PlannedItems {
  const permits = createPermits(bundle);
  const { tools, withheld } = planTools(exposure, bundle);
  const composites = planComposites(bundle, tools, permits);
  const prompts = resolvePromptNames(
    bundle.aggregation,
    bundle.backends,
    bundle.backends.map(backend => ({ backend: backend.name, names: listNames(backend, 'prompts') })),
  );
  const uris = (list: 'resources' | 'resourceTemplates') =>
    [
      ...resolveResourceHolders(
        bundle.backends.map(backend => ({ backend: backend.name, uris: listNames(backend, list) })),
      ).holders,
    ].map(([uri, backend]) => ({ uri, backend, direct: permits('read_resource', uri, {}) }));
  return {
    tools: tools.map(tool => {
      const { name, backend, originalName, advertised, definition } = tool;
      const direct = advertised ? permits('call_tool', name, definition) : NO_CALLERS;
      const through = composites.flatMap(composite =>
        composite.calls
          .filter(call => call.tool === name)
          .map(({ step }) => ({ composite: composite.name, step, who: composite.direct })),
      );
      const visibility = advertised ? ('advertised' as const) : ('hidden' as const);
      const reach = uniteCallers([direct, ...through.map(({ who }) => who)]);
      return { name, backend, originalName, visibility, direct, through, reach };
    }),
    composites,
    prompts: prompts.named.map(({ name, backend, originalName }) => {
      return { name, backend, originalName, direct: permits('get_prompt', name, {}) };
    }),
    resources: uris('resources'),
    resourceTemplates: uris('resourceTemplates').filter(({ uri }) => readUriTemplate(uri) !== undefined),
    withheld: [
      ...withheld.map(item => ({ type: 'tool' as const, ...item })),
      ...prompts.withheld.map(item => ({ type: 'prompt' as const, ...item })),
    ],
  };
}

type PlannedTool = Pick<ToolModel, 'name' | 'backend' | 'originalName' | 'advertised' | 'definition' | 'offered'>;

function planTools(exposure: Exposure, { aggregation, backends }: GatewayBundle) {
  const hints = new Map(exposure.tools.map(tool => [key(tool.backend, tool.originalName), tool.hints]));
  const { named, withheld } = resolveTools(
    aggregation,
    backends,
    backends.map(backend => ({
      backend: backend.name,
      tools: listNames(backend, 'tools').map(name => ({ name, inputSchema: { type: 'object' } })),
    })),
  );
  const plans = new Map(backends.map(({ name, tools }) => [name, tools.overrides]));
  const tools = named.map(({ name, backend, originalName, advertised }): PlannedTool => {
    const own = hints.get(key(backend, originalName)) ?? {};
    const annotations = findOverride(plans.get(backend) ?? {}, originalName)?.annotations;
    return {
      ...{ name, backend, originalName },
      advertised,
      definition: { name, annotations: { ...readValues(own), ...annotations } },
      offered: { name, annotations: readValues(toBackendHints(own)) },
    };
  });
  return { tools, withheld };
}

function readValues(hints: Hints): { readonly [hint: string]: boolean } {
  return Object.fromEntries(
    Object.entries(hints).flatMap(([name, hint]) => (hint === undefined ? [] : [[name, hint.value] as const])),
  );
}

type Permits = (action: CedarAction, name: string, definition: CatalogItem) => Who;

function planComposites(
  bundle: GatewayBundle,
  tools: readonly PlannedTool[],
  permits: Permits,
): PlannedItems['composites'] {
  const view = planView(bundle, GATEWAY_LEAVES);
  const names = bundle.backends.map(({ name }) => name);
  const toolNames = new ToolNames(tools);
  return (bundle.workflows ?? []).map(workflow => {
    const steps = readSteps(view, workflow.name) ?? [];
    const calls = listReferences(workflow).map(({ step, reference }) => {
      const tool = findStepTool(reference, names, toolNames);
      const questions = steps.find(({ id }) => id === step)?.questions ?? [];
      const asks = questions.map(({ step, message, ...question }) => ({
        step,
        message,
        isOptional: isOptional(question),
      }));
      return { step, reference, tool, asks };
    });
    const targets = calls.map(({ tool }) => ({
      target: tool === undefined ? ({ type: 'unknown' } as const) : ({ type: 'tool', tool } as const),
    }));
    const definition = buildWorkflowDefinition(
      workflow,
      calls.map(({ tool }) => tool?.definition),
    );
    return {
      name: workflow.name,
      direct: permits('call_tool', workflow.name, definition),
      hints: readCompositeHints({ tool: workflow, calls: targets }),
      calls: calls.map(({ step, reference, tool, asks }): ExposedCall => {
        return { step, reference, tool: tool?.name ?? null, ...(asks.length === 0 ? {} : { asks }) };
      }),
    };
  });
}

function listReferences({ steps }: WorkflowTool): readonly { readonly step: string; readonly reference: string }[] {
  return steps.flatMap(step =>
    step.type === 'elicitation' ? [] : [{ step: step.id, reference: step.call.reference }],
  );
}

function createPermits({ authorization, incomingAuth }: GatewayBundle): Permits {
  if (authorization.engine === 'none') return () => EVERYONE;
  const { policies, entities, server, groupType } = authorization;
  const parsed = policies.flatMap(({ name, text }) =>
    parsePolicies(text).policies.map(policy => ({ ...policy, name })),
  );
  const isAnonymous = incomingAuth.type === 'anonymous';
  const common: Omit<PartialRequest, 'action' | 'resource' | 'attrs'> = {
    parents: [{ type: 'MCP', id: server }],
    entities: new Map(
      entities.map(({ uid, attrs, parents }) => [
        formatEntityUid(uid),
        { attrs: attrs as PartialRequest['attrs'], parents },
      ]),
    ),
    ...{ groupType, isAnonymous, hasSubject: !isAnonymous },
  };
  return (action, name, { annotations }) =>
    toWho(
      evaluateUnplaced(parsed, {
        ...common,
        action,
        resource: { type: CEDAR_ACTIONS[action].type, id: name },
        attrs: buildCedarAttributes(action, { name, annotations }),
      }),
    );
}
