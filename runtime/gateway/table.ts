/**
 * The gateway's routing table: what clients see and where each name leads. Built whole from the plan and from what the
 * backends offer, never changed afterwards; a change builds a new one beside it.
 */
import {
  type BackendPlan,
  compareText,
  type GatewayBundle,
  type IdleSetting,
  idleSettings,
  type NameResolution,
  overrideOf,
  type ParamHeader,
  paramHeaders,
  resolvePromptNames,
  resolveToolNames,
  resourceHolders,
  shownPrompt,
  shownTool,
  type ToolOverridePlan,
  type WithheldCapability,
} from '#schemas';
import type { Capabilities, CapabilityKind, Item } from './capabilities.ts';
import { type PreparedItem, PreparedList } from './prepared-list.ts';
import { uriTemplateMatcher } from './uri-template.ts';
import { splitOffer, type ToolFault, toolFault, type UnfitItem } from './well-formed.ts';

/**
 * One backend's share of the table. A backend that is not available keeps its names, so that no other backend takes them
 * over while it is away, but is absent from the lists.
 */
export interface BackendOffer {
  readonly plan: BackendPlan;
  readonly capabilities: Capabilities;
  readonly available: boolean;
}

export interface Route {
  readonly backend: string;
  /** The name or URI that the backend itself uses. */
  readonly originalName: string;
  /** Arguments of a tool that its backend wants to see as headers. */
  readonly paramHeaders?: readonly ParamHeader[];
}

/** Something a backend offers that clients do not get, and why; shown in `/status`. */
export interface Withheld {
  readonly kind: CapabilityKind;
  readonly backend: string;
  /** The name it would have had. */
  readonly name: string;
  /** The backend's own name or URI; for what has none its place in the list. */
  readonly originalName: string;
  readonly reason: WithheldCapability['reason'] | UnfitItem['reason'] | ToolFault['reason'] | 'shadowed';
  /** What exactly is wrong, for people. */
  readonly detail?: string | undefined;
}

export interface CapabilityTable {
  readonly lists: { readonly [K in CapabilityKind]: PreparedList };
  readonly tools: ReadonlyMap<string, Route>;
  readonly prompts: ReadonlyMap<string, Route>;
  /** The backend of a URI: a listed resource first, then the first template that matches. */
  resource(uri: string): Route | undefined;
  /** The backend of a resource template, by its literal text. */
  readonly templates: ReadonlyMap<string, Route>;
  readonly withheld: readonly Withheld[];
  readonly idle: readonly IdleSetting[];
}

export function buildTable(
  bundle: Pick<GatewayBundle, 'aggregation'>,
  offers: readonly BackendOffer[],
): CapabilityTable {
  const sorted = offers.toSorted((a, b) => (a.plan.name < b.plan.name ? -1 : 1));
  const plans = sorted.map(offer => offer.plan);
  const withheld: Withheld[] = [];
  const wellFormed = sorted.map(offer => {
    const { kept, unfit } = splitOffer(offer.capabilities);
    const backend = offer.plan.name;
    withheld.push(...unfit.map(({ kind, name, reason }) => ({ kind, backend, name, originalName: name, reason })));
    return { ...offer, capabilities: kept };
  });

  const names = (kind: 'tools' | 'prompts') =>
    wellFormed.map(({ plan, capabilities }) => ({
      backend: plan.name,
      names: capabilities[kind].map(item => item.name as string),
    }));
  const items = itemsByName(wellFormed);
  const tools = withoutFaults(resolveToolNames(bundle.aggregation, plans, names('tools')), items.tools, withheld);
  const prompts = resolvePromptNames(bundle.aggregation, plans, names('prompts'));
  withheld.push(...tools.withheld.map(tool => ({ kind: 'tools' as const, ...reported(tool) })));
  withheld.push(...prompts.withheld.map(prompt => ({ kind: 'prompts' as const, ...reported(prompt) })));

  const byBackend = new Map(wellFormed.map(offer => [offer.plan.name, offer]));
  const named = { byBackend, items };
  const resources = firstHolders('resources', 'uri', wellFormed, withheld);
  const templates = firstHolders('resourceTemplates', 'uriTemplate', wellFormed, withheld);
  const matchers = [...templates].flatMap(([template, holder]) => {
    const matches = uriTemplateMatcher(template);
    if (matches !== undefined) return [{ matches, backend: holder.offer.plan.name }];
    const backend = holder.offer.plan.name;
    withheld.push({ kind: 'resourceTemplates', backend, name: template, originalName: template, reason: 'malformed' });
    templates.delete(template);
    return [];
  });

  return {
    lists: {
      tools: new PreparedList('tools', preparedNames(tools, named, 'tools', shownTool)),
      prompts: new PreparedList('prompts', preparedNames(prompts, named, 'prompts', shownPrompt)),
      resources: new PreparedList('resources', preparedUris(resources)),
      resourceTemplates: new PreparedList('resourceTemplates', preparedUris(templates)),
    },
    tools: toolRoutes(tools, items.tools),
    prompts: routes(prompts),
    resource: uri => {
      const holder = resources.get(uri);
      const backend = holder?.offer.plan.name ?? matchers.find(matcher => matcher.matches(uri))?.backend;
      return backend === undefined ? undefined : { backend, originalName: uri };
    },
    templates: new Map(
      [...templates].map(([key, { offer }]) => [key, { backend: offer.plan.name, originalName: key }]),
    ),
    withheld,
    // Only here is it known what a backend really has.
    idle: wellFormed
      .filter(({ available }) => available)
      .flatMap(({ plan, capabilities }) =>
        idleSettings(
          plan,
          capabilities.tools.map(tool => tool.name as string),
        ),
      ),
  };
}

interface UriHolder {
  readonly offer: BackendOffer;
  readonly item: Item;
}

function firstHolders(
  kind: 'resources' | 'resourceTemplates',
  key: 'uri' | 'uriTemplate',
  offers: readonly BackendOffer[],
  withheld: Withheld[],
): Map<string, UriHolder> {
  const offered = offers.map(({ plan, capabilities }) => ({
    backend: plan.name,
    uris: capabilities[kind].map(item => item[key] as string),
  }));
  const { held, shadowed } = resourceHolders(offered);
  for (const { backend, uri } of shadowed) {
    withheld.push({ kind, backend, name: uri, originalName: uri, reason: 'shadowed' });
  }
  const holders = new Map<string, UriHolder>();
  for (const offer of offers) {
    for (const item of offer.capabilities[kind]) {
      const uri = item[key] as string;
      if (held.get(uri) === offer.plan.name && !holders.has(uri)) holders.set(uri, { offer, item });
    }
  }
  return new Map([...holders].sort(([a], [b]) => compareText(a, b)));
}

function preparedUris(holders: ReadonlyMap<string, UriHolder>): PreparedItem[] {
  return [...holders]
    .filter(([, { offer }]) => offer.available)
    .map(([key, { item }]) => ({ key, json: JSON.stringify(item) }));
}

/** Items by backend and by the backend's own name. */
type ItemIndex = ReadonlyMap<string, ReadonlyMap<string, Item>>;

function itemsByName(offers: readonly BackendOffer[]): { readonly tools: ItemIndex; readonly prompts: ItemIndex } {
  const index = (kind: 'tools' | 'prompts'): ItemIndex =>
    new Map(
      offers.map(({ plan, capabilities }) => [
        plan.name,
        new Map(capabilities[kind].map(item => [item.name as string, item])),
      ]),
    );
  return { tools: index('tools'), prompts: index('prompts') };
}

/** Takes out the advertised tools that must not be shown as they are. */
function withoutFaults(resolution: NameResolution, items: ItemIndex, withheld: Withheld[]): NameResolution {
  const named = resolution.named.filter(tool => {
    const { backend, name, originalName, advertised } = tool;
    const item = items.get(backend)?.get(originalName);
    const fault = !advertised || item === undefined ? undefined : toolFault(item, tool);
    if (fault !== undefined) withheld.push({ kind: 'tools', backend, name, originalName, ...fault });
    return fault === undefined;
  });
  return { ...resolution, named };
}

function preparedNames(
  { named }: NameResolution,
  {
    byBackend,
    items,
  }: {
    readonly byBackend: ReadonlyMap<string, BackendOffer>;
    readonly items: { readonly tools: ItemIndex; readonly prompts: ItemIndex };
  },
  kind: 'tools' | 'prompts',
  shown: (item: Item, name: string, override: ToolOverridePlan | undefined) => Item,
): PreparedItem[] {
  return named.flatMap(({ name, backend, originalName, advertised }) => {
    const offer = byBackend.get(backend);
    const item = items[kind].get(backend)?.get(originalName);
    if (!advertised || offer === undefined || !offer.available || item === undefined) return [];
    const override = overrideOf(offer.plan.tools.overrides, originalName);
    return [{ key: name, json: JSON.stringify(shown(item, name, override)) }];
  });
}

function toolRoutes(resolution: NameResolution, items: ItemIndex): Map<string, Route> {
  const plain = routes(resolution);
  for (const [name, route] of plain) {
    const headers = paramHeaders(items.get(route.backend)?.get(route.originalName)?.inputSchema);
    if (headers.ok && headers.headers.length > 0) plain.set(name, { ...route, paramHeaders: headers.headers });
  }
  return plain;
}

function routes({ named }: NameResolution): Map<string, Route> {
  return new Map(
    named
      .filter(capability => capability.advertised)
      .map(({ name, backend, originalName }) => [name, { backend, originalName }]),
  );
}

function reported({ backend, name, originalName, reason }: WithheldCapability): Omit<Withheld, 'kind'> {
  return { backend, name, originalName, reason };
}
