/**
 * The model of a gateway: its plan, the items of its backends according to the tool lock, the resulting names, and the tools that workflow steps
 * call. Rules about gateways and the exposure report read nothing else.
 */
import type { BackendPlan, CatalogItem, GatewayBundle, VirtualMCPServerSpec } from '#schemas';
import {
  findOverride,
  type ItemKey,
  isAdvertised,
  type NameResolution,
  presentPrompt,
  presentTool,
  readUriTemplate,
  resolvePromptNames,
  resolveResourceHolders,
  resolveTools,
  splitItems,
  type ToolFault,
  type ToolResolution,
  type WithheldItem,
} from '#shared/plan';
import type { BackendOrigin } from '../../resolve/backend-origin.ts';
import type { Inventory, Resource } from '../../resolve/inventory.ts';
import type { Catalog, LockedBackend, LockedItems } from '../catalog/index.ts';
import type { CredentialLocation, LoweredGateway } from '../lowered-gateway.ts';
import { type CompositeModel, resolveComposites } from './composites.ts';
import type { GatewaySettings } from './settings.ts';
import { ToolNames } from './tool-names.ts';

export interface GatewayModel {
  readonly resource: Resource<VirtualMCPServerSpec>;
  readonly inventory: Inventory;
  readonly plan: GatewayBundle;
  /** The tool lock; undefined when there is none. */
  readonly catalog: Catalog | undefined;
  readonly settings: GatewaySettings;
  /** The backends, sorted by name. */
  readonly backends: readonly BackendModel[];
  /** Whether there are backends and the catalog has them all: only then is a missing name certain. */
  readonly isLocked: boolean;
  /** Every named tool, including hidden ones, sorted by name. */
  readonly tools: readonly ToolModel[];
  /** The same tools, indexed by name. */
  readonly toolNames: ToolNames;
  readonly prompts: readonly PromptModel[];
  readonly resources: readonly ResourceModel[];
  readonly resourceTemplates: readonly ResourceModel[];
  /** Tools and prompts that get no name, because other items have or claim it. */
  readonly withheld: {
    readonly tools: readonly WithheldTool[];
    readonly prompts: readonly WithheldItem[];
  };
  /** Resources and templates whose URI another backend serves. */
  readonly shadowed: readonly { readonly backend: string; readonly uri: string }[];
  /** The workflows: first those that are defined in the gateway, then those that it refers to. */
  readonly composites: readonly CompositeModel[];
}

export interface BackendModel {
  readonly name: string;
  readonly plan: BackendPlan;
  readonly origin: BackendOrigin;
  /** The object and field that choose the backend's credential; null when none does. */
  readonly location: CredentialLocation | null;
  /** What the tool lock has about the backend; undefined when it has nothing. */
  readonly locked: LockedBackend | undefined;
}

export interface ToolModel {
  readonly name: string;
  readonly backend: string;
  /** The backend's own name. */
  readonly originalName: string;
  /** Whether clients see the tool. Workflows may call it in any case. */
  readonly advertised: boolean;
  /** Why clients do not see the tool, although the settings would show it. */
  readonly fault?: ToolFault;
  /** The item as clients see it, with the name and the overrides of the gateway. */
  readonly definition: CatalogItem;
  /** The item as the backend offers it. */
  readonly offered: CatalogItem;
}

export interface WithheldTool extends WithheldItem {
  /** Whether clients would see the item if it had a name. */
  readonly advertised: boolean;
}

export interface PromptModel {
  readonly name: string;
  readonly backend: string;
  readonly originalName: string;
  readonly definition: CatalogItem;
}

export interface ResourceModel {
  /** The URI, or the template of URIs. */
  readonly uri: string;
  readonly backend: string;
  readonly definition: CatalogItem;
}

/** Builds the model of a gateway whose lowering found no error. */
export function buildGatewayModel(
  resource: Resource<VirtualMCPServerSpec>,
  inventory: Inventory,
  { bundle, origins, credentialLocations }: LoweredGateway,
  catalog: Catalog | undefined,
  settings: GatewaySettings = {},
): GatewayModel {
  const backends = bundle.backends.flatMap(plan => {
    const origin = origins.get(plan.name);
    if (origin === undefined) return [];
    const { name } = plan;
    return [
      { name, plan, origin, location: credentialLocations.get(name) ?? null, locked: catalog?.backend(origin.key) },
    ];
  });
  const resolvedTools = resolveTools(
    bundle.aggregation,
    bundle.backends,
    backends.map(backend => ({ backend: backend.name, tools: listItems(backend, 'tools') })),
  );
  const promptNames = resolvePromptNames(
    bundle.aggregation,
    bundle.backends,
    backends.map(backend => ({
      backend: backend.name,
      names: listItems(backend, 'prompts').map(({ name }) => name as string),
    })),
  );
  const tools = listTools(resolvedTools, backends);
  const toolNames = new ToolNames(tools);
  const resources = listResources(backends, 'resources', 'uri');
  const resourceTemplates = listResources(backends, 'resourceTemplates', 'uriTemplate');
  const isLocked = backends.length > 0 && backends.every(({ locked }) => locked !== undefined);
  return {
    resource,
    inventory,
    plan: bundle,
    catalog,
    settings,
    backends,
    isLocked,
    tools,
    toolNames,
    prompts: listPrompts(promptNames, backends),
    resources: resources.holders,
    // The gateway withholds a template that it cannot parse.
    resourceTemplates: resourceTemplates.holders.filter(({ uri }) => readUriTemplate(uri) !== undefined),
    withheld: { tools: listWithheldTools(resolvedTools, backends), prompts: promptNames.withheld },
    shadowed: [...resources.shadowed, ...resourceTemplates.shadowed],
    composites: resolveComposites(resource, inventory, { backends, toolNames, isLocked }),
  };
}

/** Items in the form in which the gateway reads them from the backend. */
function listItems({ locked }: BackendModel, list: keyof LockedItems): readonly CatalogItem[] {
  return locked === undefined ? [] : splitItems(locked[list], list).fit;
}

function indexItemsByKey(
  backends: readonly BackendModel[],
  list: keyof LockedItems,
  key: ItemKey,
): ReadonlyMap<string, ReadonlyMap<string, CatalogItem>> {
  return new Map(
    backends.map(backend => [backend.name, new Map(listItems(backend, list).map(item => [item[key] as string, item]))]),
  );
}

function listTools({ named }: ToolResolution, backends: readonly BackendModel[]): readonly ToolModel[] {
  const plans = new Map(backends.map(({ name, plan }) => [name, plan.tools]));
  return named.map(({ item, ...tool }) => {
    const override = findOverride(plans.get(tool.backend)?.overrides ?? {}, tool.originalName);
    return { ...tool, definition: presentTool(item, tool.name, override), offered: item };
  });
}

function listWithheldTools({ withheld }: ToolResolution, backends: readonly BackendModel[]): readonly WithheldTool[] {
  if (withheld.length === 0) return [];
  const plans = new Map(backends.map(({ name, plan }) => [name, plan.tools]));
  return withheld.map(tool => {
    const plan = plans.get(tool.backend);
    return { ...tool, advertised: plan !== undefined && isAdvertised(plan, tool.originalName) };
  });
}

function listPrompts({ named }: NameResolution, backends: readonly BackendModel[]): readonly PromptModel[] {
  const known = indexItemsByKey(backends, 'prompts', 'name');
  return named.flatMap(({ name, backend, originalName }) => {
    const item = known.get(backend)?.get(originalName);
    return item === undefined ? [] : [{ name, backend, originalName, definition: presentPrompt(item, name) }];
  });
}

function listResources(
  backends: readonly BackendModel[],
  list: 'resources' | 'resourceTemplates',
  key: 'uri' | 'uriTemplate',
) {
  const known = indexItemsByKey(backends, list, key);
  const { holders, shadowed } = resolveResourceHolders(
    [...known].map(([backend, items]) => ({ backend, uris: [...items.keys()] })),
  );
  const models = [...holders].flatMap(([uri, backend]) => {
    const definition = known.get(backend)?.get(uri);
    return definition === undefined ? [] : [{ uri, backend, definition }];
  });
  return { holders: models, shadowed };
}
