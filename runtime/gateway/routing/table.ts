/**
 * The gateway's routing table: the names that clients see, and the destination of each. It is built as a whole from the plan and the backends'
 * lists, and never changes afterwards; a change builds a new table.
 */
import {
  type BackendPlan,
  type CatalogItem,
  compareText,
  type GatewayBundle,
  type ToolOverridePlan,
  type WorkflowTool,
} from '#schemas';
import {
  findIdleSettings,
  findOverride,
  type IdleSetting,
  type NamedItem,
  type NameResolution,
  type OfferedTool,
  type ParamHeader,
  presentPrompt,
  presentResource,
  presentTool,
  readParamHeaders,
  readUriTemplate,
  resolvePromptNames,
  resolveResourceHolders,
  resolveTools,
  splitItems,
  type WithheldItem,
} from '#shared/plan';
import type { OwnWork } from '../../observe/own-work.ts';
import { type ItemKind, KINDS, type OfferedItems } from '../offers/offered-items.ts';
import { type PreparedItem, PreparedList } from '../offers/prepared-list.ts';
import { dropUnlocked, findChangedTools } from './pinned-tools.ts';
import { type ServedWorkflow, serveWorkflows, TableTools } from './served-workflows.ts';
import { MAX_TEMPLATES, type OwnTemplates, TemplateRoutes } from './template-routes.ts';
import { type MoreWithheld, type Withheld, WithheldItems } from './withheld.ts';

/**
 * One backend's share of the table. The names of an unavailable backend stay reserved, so that no other backend gets them meanwhile, but its items
 * are absent from the lists.
 */
export interface BackendOffer {
  readonly plan: BackendPlan;
  readonly items: OfferedItems;
  readonly available: boolean;
  /** Whether the backend answers only callers: `items` are then those of all callers, or of one caller. */
  readonly requiresCallerAuth?: boolean;
}

export interface Route {
  readonly backend: string;
  /** The backend's own name or URI. */
  readonly originalName: string;
  /** Arguments of a tool that its backend requires as headers. */
  readonly paramHeaders?: readonly ParamHeader[];
  /** The annotations of a tool in the form that clients see; policies can read them. */
  readonly annotations?: unknown;
  /** Whether a template matches the URI, and no list contains it. */
  readonly isOfTemplate?: boolean;
  /** The gateway's own workflow that has the name: it leads to no single backend, and `backend` is empty. */
  readonly workflow?: ServedWorkflow;
}

/** Those members of a bundle that determine names. */
export type TablePlan = Pick<GatewayBundle, 'aggregation' | 'workflows'>;

type Routes = Pick<ReadonlyMap<string, Route>, 'get'>;

/** What a caller gets: the lists, and the destinations of its requests. */
export interface RoutingTable {
  readonly lists: { readonly [K in ItemKind]: PreparedList };
  readonly tools: Routes;
  readonly prompts: Routes;
  /** The backend of a URI: the one that lists it, otherwise that of the first matching template, among those with the longest prefix. */
  resource(uri: string): Route | undefined;
  /** The backend of a resource template, by its literal text. */
  readonly templates: Routes;
}

export interface ItemTable extends RoutingTable {
  /** The lists that the table was built from. */
  readonly offers: readonly BackendOffer[];
  readonly tools: ReadonlyMap<string, Route>;
  readonly prompts: ReadonlyMap<string, Route>;
  /** The listed resources, by URI. */
  readonly resources: ReadonlyMap<string, Route>;
  readonly templates: ReadonlyMap<string, Route>;
  /** Finds the backend of a URI that no list contains, by templates in the order of their texts. */
  readonly templateRoutes: TemplateRoutes;
  /** Names of backends that give each caller lists of its own; the table for all callers does not contain their items. */
  readonly askingCallers: ReadonlySet<string>;
  /** Items that clients do not get, up to a limit. */
  readonly withheld: readonly Withheld[];
  readonly moreWithheld: readonly MoreWithheld[];
  readonly idle: readonly IdleSetting[];
  /** The tools that steps of workflows can call. */
  readonly callable: TableTools;
}

/**
 * Builds the table from the plan and the backends' lists.
 * @param work traces the building of this table
 */
export function buildTable(bundle: TablePlan, offers: readonly BackendOffer[], work?: OwnWork): ItemTable {
  const table = buildBackendTable(bundle, offers, work);
  return bundle.workflows === undefined ? table : withWorkflows(table, bundle.workflows);
}

/** Adds to a table the workflows that it can serve. */
function withWorkflows(table: ItemTable, workflows: readonly WorkflowTool[]): ItemTable {
  const names = table.offers.map(({ plan }) => plan.name);
  const { served, withheld } = serveWorkflows(workflows, names, table.callable);
  return {
    ...table,
    lists: {
      ...table.lists,
      tools: new PreparedList('tools', [...table.lists.tools.items, ...listWorkflowItems(served)]),
    },
    tools: new Map([
      ...table.tools,
      ...served.map(workflow => [workflow.name, createWorkflowRoute(workflow)] as const),
    ]),
    withheld: [...table.withheld, ...withheld],
  };
}

/** Workflows whose backends are all available, in the form of tools. */
export function listWorkflowItems(served: readonly ServedWorkflow[]): readonly PreparedItem[] {
  return served
    .filter(({ available }) => available)
    .map(({ name, definition }) => ({ key: name, json: JSON.stringify(definition) }));
}

export function createWorkflowRoute(workflow: ServedWorkflow): Route {
  const { name, definition } = workflow;
  return { backend: '', originalName: name, annotations: definition.annotations, workflow };
}

/** The table of the backends' items, without workflows. */
export function buildBackendTable(
  bundle: Pick<GatewayBundle, 'aggregation'>,
  offers: readonly BackendOffer[],
  work?: OwnWork,
): ItemTable {
  const sorted = offers.toSorted((a, b) => (a.plan.name < b.plan.name ? -1 : 1));
  const plans = sorted.map(offer => offer.plan);
  const withheld = new WithheldItems();
  const fit = sorted.map(offer => fitOffer(offer, withheld));

  const resolving = work?.part('aggregator.ResolveConflicts');
  const tools = resolveTools(
    bundle.aggregation,
    plans,
    fit.map(({ plan, items }) => ({ backend: plan.name, tools: items.tools })),
    findChangedTools(fit),
  );
  const prompts = resolvePromptNames(
    bundle.aggregation,
    plans,
    fit.map(({ plan, items }) => ({
      backend: plan.name,
      names: items.prompts.map(item => item.name as string),
    })),
  );
  for (const { backend, name, originalName, fault } of tools.named) {
    if (fault !== undefined) withheld.add({ kind: 'tools', backend, name, originalName, ...fault });
  }
  for (const tool of tools.withheld) withheld.add({ kind: 'tools', ...toReported(tool) });
  for (const prompt of prompts.withheld) withheld.add({ kind: 'prompts', ...toReported(prompt) });

  const byBackend = new Map(fit.map(offer => [offer.plan.name, offer]));
  resolving?.end();

  const merging = work?.part('aggregator.MergeCapabilities');
  const resources = mapFirstHolders('resources', 'uri', fit, withheld);
  const templates = mapFirstHolders('resourceTemplates', 'uriTemplate', fit, withheld);
  const templateRoutes = new TemplateRoutes(
    [...templates].flatMap(([text, holder]) => {
      const template = readUriTemplate(text);
      const backend = holder.offer.plan.name;
      if (template !== undefined) return [{ template, backend }];
      withheld.add({ kind: 'resourceTemplates', backend, name: text, originalName: text, reason: 'malformed' });
      templates.delete(text);
      return [];
    }),
  );

  const listed = mapUriRoutes(resources);
  const table: ItemTable = {
    offers,
    lists: {
      tools: new PreparedList('tools', prepareTools(tools.named, byBackend)),
      prompts: new PreparedList('prompts', preparePrompts(prompts, byBackend)),
      resources: new PreparedList('resources', prepareUris(resources, 'resources')),
      resourceTemplates: new PreparedList('resourceTemplates', prepareUris(templates, 'resourceTemplates')),
    },
    tools: mapToolRoutes(tools.named, byBackend),
    prompts: new Map(prompts.named.map(prompt => [prompt.name, toRoute(prompt)])),
    resources: listed,
    resource: uri => listed.get(uri) ?? findRouteOfUri(templateRoutes, uri),
    templates: mapUriRoutes(templates),
    templateRoutes,
    callable: new TableTools(
      tools.named.filter(({ fault }) => fault?.reason !== 'changed_definition'),
      byBackend,
    ),
    askingCallers: new Set(offers.filter(offer => offer.requiresCallerAuth === true).map(({ plan }) => plan.name)),
    ...withheld.result(),
    // Settings that match no item are known only with the backends' actual items; the lists of further callers may contain more.
    idle: fit
      .filter(({ available, requiresCallerAuth }) => available && requiresCallerAuth !== true)
      .flatMap(({ plan, items }) =>
        findIdleSettings(
          plan,
          items.tools.map(tool => tool.name as string),
        ),
      ),
  };
  merging?.end();
  return table;
}

/** The destination of a URI that no list contains. */
export function findRouteOfUri(templates: TemplateRoutes, uri: string, over?: OwnTemplates): Route | undefined {
  const backend = templates.findBackend(uri, over);
  return backend === undefined ? undefined : { backend, originalName: uri, isOfTemplate: true };
}

interface UriHolder {
  readonly offer: BackendOffer;
  readonly item: CatalogItem;
}

function mapFirstHolders(
  kind: 'resources' | 'resourceTemplates',
  key: 'uri' | 'uriTemplate',
  offers: readonly BackendOffer[],
  withheld: WithheldItems,
): Map<string, UriHolder> {
  const offered = offers.map(({ plan, items }) => ({
    backend: plan.name,
    uris: items[kind].map(item => item[key] as string),
  }));
  const { holders: holderNames, shadowed } = resolveResourceHolders(offered);
  for (const { backend, uri } of shadowed) {
    withheld.add({ kind, backend, name: uri, originalName: uri, reason: 'shadowed' });
  }
  const holders = new Map<string, UriHolder>();
  for (const offer of offers) {
    for (const item of offer.items[kind]) {
      const uri = item[key] as string;
      if (holderNames.get(uri) === offer.plan.name && !holders.has(uri)) holders.set(uri, { offer, item });
    }
  }
  return new Map([...holders].sort(([a], [b]) => compareText(a, b)));
}

function mapUriRoutes(holders: ReadonlyMap<string, UriHolder>): ReadonlyMap<string, Route> {
  return new Map([...holders].map(([uri, { offer }]) => [uri, { backend: offer.plan.name, originalName: uri }]));
}

function prepareUris(holders: ReadonlyMap<string, UriHolder>, list: 'resources' | 'resourceTemplates'): PreparedItem[] {
  return [...holders]
    .filter(([, { offer }]) => offer.available)
    .map(([key, { item }]) => ({ key, json: serializeItem(item, {}, () => presentResource(item, list)) }));
}

function prepareTools(
  named: readonly OfferedTool[],
  byBackend: ReadonlyMap<string, BackendOffer>,
): readonly PreparedItem[] {
  return named.flatMap(tool => {
    const offer = byBackend.get(tool.backend);
    if (!tool.advertised || !offer?.available) return [];
    const { item, name, originalName } = tool;
    const override = findOverride(offer.plan.tools.overrides, originalName);
    const json = serializeItem(item, { name, override }, () => presentTool(item, name, override));
    return [{ key: name, json, sessionJson: withoutOpenOutput(item, () => presentTool(item, name, override)) }];
  });
}

/**
 * Revisions with sessions allow only objects as outputs, and their clients refuse a list with any other schema.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#tool
 */
function withoutOpenOutput({ outputSchema }: CatalogItem, show: () => CatalogItem): string | undefined {
  if (outputSchema === undefined || (outputSchema as { type?: unknown } | null)?.type === 'object') return undefined;
  return JSON.stringify({ ...show(), outputSchema: undefined });
}

/** An item's searchable name and text. */
interface SearchableText {
  readonly name?: string | undefined;
  readonly override?: ToolOverridePlan | undefined;
  readonly json: string;
}

const texts = new WeakMap<CatalogItem, SearchableText>();

/** The JSON text of an item, created once: when callers' lists differ, many tables contain the same items. */
function serializeItem(
  item: CatalogItem,
  { name, override }: Omit<SearchableText, 'json'>,
  show: () => CatalogItem,
): string {
  const known = texts.get(item);
  if (known !== undefined && known.name === name && known.override === override) return known.json;
  const json = JSON.stringify(show());
  texts.set(item, { name, override, json });
  return json;
}

function toListedTool({ item, name, originalName }: OfferedTool, offer: BackendOffer | undefined): CatalogItem {
  return presentTool(item, name, findOverride(offer?.plan.tools.overrides ?? {}, originalName));
}

function preparePrompts(
  { named }: NameResolution,
  byBackend: ReadonlyMap<string, BackendOffer>,
): readonly PreparedItem[] {
  const items = new Map(
    [...byBackend].map(([backend, { items }]) => [backend, new Map(items.prompts.map(item => [item.name, item]))]),
  );
  return named.flatMap(({ name, backend, originalName }) => {
    const item = items.get(backend)?.get(originalName);
    if (item === undefined || !byBackend.get(backend)?.available) return [];
    return [{ key: name, json: serializeItem(item, { name }, () => presentPrompt(item, name)) }];
  });
}

function mapToolRoutes(
  named: readonly OfferedTool[],
  byBackend: ReadonlyMap<string, BackendOffer>,
): Map<string, Route> {
  return new Map(
    named
      .filter(({ advertised }) => advertised)
      .map(tool => {
        const headers = readParamHeaders(tool.item.inputSchema);
        const mirrored = headers.ok && headers.headers.length > 0 ? { paramHeaders: headers.headers } : {};
        const { annotations } = toListedTool(tool, byBackend.get(tool.backend));
        return [tool.name, { ...toRoute(tool), ...mirrored, annotations }];
      }),
  );
}

function toRoute({ backend, originalName }: NamedItem): Route {
  return { backend, originalName };
}

/** Removes items that no gateway can serve. */
export function fitOffer(offer: BackendOffer, withheld: WithheldItems = new WithheldItems()): BackendOffer {
  const backend = offer.plan.name;
  const lists = KINDS.map(({ kind }) => {
    const { fit, unfit } = splitItems(offer.items[kind], kind);
    for (const { name: unfitName, index, reason, detail } of unfit) {
      const name = unfitName ?? `#${index}`;
      withheld.add({ kind, backend, name, originalName: name, reason, detail });
    }
    if (kind === 'tools') return [kind, dropUnlocked(offer.plan, fit, withheld)] as const;
    if (kind !== 'resourceTemplates') return [kind, fit] as const;
    for (const { uriTemplate } of fit.slice(MAX_TEMPLATES)) {
      const name = uriTemplate as string;
      const detail = `only the first ${MAX_TEMPLATES} are served`;
      withheld.add({ kind, backend, name, originalName: name, reason: 'too_many', detail });
    }
    return [kind, fit.slice(0, MAX_TEMPLATES)] as const;
  });
  return { ...offer, items: Object.fromEntries(lists) as unknown as OfferedItems };
}

function toReported({ backend, name, originalName, reason }: WithheldItem): Omit<Withheld, 'kind'> {
  return { backend, name, originalName, reason };
}
