/**
 * The gateway's routing table: what clients see and where each name leads. Built whole from the plan and from what the
 * backends offer, never changed afterwards; a change builds a new one beside it.
 */
import {
  type BackendPlan,
  type GatewayBundle,
  type NameResolution,
  resolvePromptNames,
  resolveToolNames,
  type ToolOverridePlan,
  type WithheldCapability,
} from '#schemas';
import { MAX_DEPTH } from '../mcp/json-scan.ts';
import { type Capabilities, type CapabilityKind, type Item, KINDS } from './capabilities.ts';
import { type IdleSetting, idleSettings } from './idle-settings.ts';
import { type PreparedItem, PreparedList } from './prepared-list.ts';
import { uriTemplateMatcher } from './uri-template.ts';

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
}

/** Something a backend offers that clients do not get, and why; shown in `/status`. */
export interface Withheld {
  readonly kind: CapabilityKind;
  readonly backend: string;
  /** The name it would have had. */
  readonly name: string;
  /** The backend's own name or URI; for what has none its place in the list. */
  readonly originalName: string;
  readonly reason: WithheldCapability['reason'] | 'shadowed' | 'malformed';
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
  const wellFormed = sorted.map(offer => ({ ...offer, capabilities: keepWellFormed(offer, withheld) }));

  const names = (kind: 'tools' | 'prompts') =>
    wellFormed.map(({ plan, capabilities }) => ({
      backend: plan.name,
      names: capabilities[kind].map(item => item.name as string),
    }));
  const tools = resolveToolNames(bundle.aggregation, plans, names('tools'));
  const prompts = resolvePromptNames(bundle.aggregation, plans, names('prompts'));
  withheld.push(...tools.withheld.map(tool => ({ kind: 'tools' as const, ...reported(tool) })));
  withheld.push(...prompts.withheld.map(prompt => ({ kind: 'prompts' as const, ...reported(prompt) })));

  const byBackend = new Map(wellFormed.map(offer => [offer.plan.name, offer]));
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
      tools: new PreparedList('tools', preparedNames(tools, byBackend, 'tools', shownTool)),
      prompts: new PreparedList('prompts', preparedNames(prompts, byBackend, 'prompts', shownPrompt)),
      resources: new PreparedList('resources', preparedUris(resources)),
      resourceTemplates: new PreparedList('resourceTemplates', preparedUris(templates)),
    },
    tools: routes(tools),
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
    idle: idleSettings(wellFormed),
  };
}

/** Items without a name, or nested too deep to be written again, cannot be shown; the rest of the backend goes on. */
function keepWellFormed({ plan, capabilities }: BackendOffer, withheld: Withheld[]): Capabilities {
  const kept = KINDS.map(({ kind, key }) => {
    const items = capabilities[kind].filter((item, index) => {
      const name = typeof item === 'object' && item !== null ? item[key] : undefined;
      const isNamed = typeof name === 'string' && name !== '';
      if (isNamed && isWithinDepth(item, MAX_DEPTH)) return true;
      const label = isNamed ? name : `#${index}`;
      withheld.push({ kind, backend: plan.name, name: label, originalName: label, reason: 'malformed' });
      return false;
    });
    return [kind, items] as const;
  });
  return Object.fromEntries(kept) as unknown as Capabilities;
}

function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every(inner => isWithinDepth(inner, depth - 1));
}

interface UriHolder {
  readonly offer: BackendOffer;
  readonly item: Item;
}

/** URIs are never rewritten: the backend that comes first by name has it, the others' is shadowed. */
function firstHolders(
  kind: 'resources' | 'resourceTemplates',
  key: 'uri' | 'uriTemplate',
  offers: readonly BackendOffer[],
  withheld: Withheld[],
): Map<string, UriHolder> {
  const holders = new Map<string, UriHolder>();
  for (const offer of offers) {
    for (const item of offer.capabilities[kind]) {
      const uri = item[key] as string;
      if (!holders.has(uri)) holders.set(uri, { offer, item });
      else withheld.push({ kind, backend: offer.plan.name, name: uri, originalName: uri, reason: 'shadowed' });
    }
  }
  return new Map([...holders].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function preparedUris(holders: ReadonlyMap<string, UriHolder>): PreparedItem[] {
  return [...holders]
    .filter(([, { offer }]) => offer.available)
    .map(([key, { item }]) => ({ key, json: JSON.stringify(item) }));
}

function preparedNames(
  { named }: NameResolution,
  byBackend: ReadonlyMap<string, BackendOffer>,
  kind: 'tools' | 'prompts',
  shown: (item: Item, name: string, override: ToolOverridePlan | undefined) => Item,
): PreparedItem[] {
  const items = new Map(
    [...byBackend].map(([backend, { capabilities }]) => [
      backend,
      new Map(capabilities[kind].map(item => [item.name as string, item])),
    ]),
  );
  return named.flatMap(({ name, backend, originalName, advertised }) => {
    const offer = byBackend.get(backend);
    const item = items.get(backend)?.get(originalName);
    if (!advertised || offer === undefined || !offer.available || item === undefined) return [];
    const { overrides } = offer.plan.tools;
    const override = Object.hasOwn(overrides, originalName) ? overrides[originalName] : undefined;
    return [{ key: name, json: JSON.stringify(shown(item, name, override)) }];
  });
}

/** Only what the plan says changes; every other member of the backend's definition passes. */
function shownTool(item: Item, name: string, override: ToolOverridePlan | undefined): Item {
  return {
    ...item,
    name,
    ...(override?.description === undefined ? {} : { description: override.description }),
    ...(override?.annotations === undefined
      ? {}
      : { annotations: { ...(item.annotations as Item | undefined), ...override.annotations } }),
  };
}

function shownPrompt(item: Item, name: string): Item {
  return { ...item, name };
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
