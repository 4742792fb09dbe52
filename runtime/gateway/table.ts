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
  resolvePromptNames,
  resolveToolNames,
  resourceHolders,
  shownPrompt,
  shownTool,
  type ToolOverridePlan,
  type WithheldCapability,
} from '#schemas';
import { MAX_DEPTH } from '../mcp/json-scan.ts';
import { type Capabilities, type CapabilityKind, type Item, KINDS } from './capabilities.ts';
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
    const override = overrideOf(offer.plan.tools.overrides, originalName);
    return [{ key: name, json: JSON.stringify(shown(item, name, override)) }];
  });
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
