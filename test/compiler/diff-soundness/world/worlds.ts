/**
 * What backends may offer. A tool lock tells a part of it, and a gateway serves whatever else they come to offer: so `lintel diff`
 * speaks of all offers that have what is locked, and a pair is tried with several of these.
 */
import type { CatalogItem, GatewayBundle } from '#schemas';
import { OFFERS, type Offer } from './offers.ts';

export interface World {
  readonly name: string;
  /** By the name of the backend. */
  readonly offers: ReadonlyMap<string, Offer>;
}

type Locked = GatewayBundle['backends'][number]['locked'];

const all = <K extends keyof Offer>(kind: K) => Object.values(OFFERS).flatMap(offer => [...offer[kind]]);
const distinct = (items: readonly CatalogItem[], key: 'name' | 'uri' | 'uriTemplate') => [
  ...new Map(items.map(item => [item[key] as string, item])).values(),
];

/** Names that overrides give, and that filters may ask for. */
const GIVEN_NAMES = ['fetch', 'store', 'read', 'write'];

/**
 * Of backends that bundles name.
 *
 * @param areApart with worlds in which only one of the backends offers something, for when it counts who has a name
 */
export function worldsOf(bundles: readonly GatewayBundle[], areApart: boolean): readonly World[] {
  const locks = new Map<string, Locked[]>();
  for (const { backends } of bundles)
    for (const { name, locked } of backends) locks.set(name, [...(locks.get(name) ?? []), locked]);
  const names = [...locks.keys()];
  const world = (name: string, offerOf: (backend: string) => Offer): World => ({
    name,
    offers: new Map(names.map(backend => [backend, offerOf(backend)])),
  });
  const isLocked = (backend: string, kind: keyof Offer, name: unknown) =>
    locks.get(backend)?.some(lock => lock?.[kind].includes(name as string)) === true;
  return [
    world('as they are', backend => OFFERS[backend] as Offer),
    world('offering more', backend => more(backend, isLocked)),
    ...(names.length < 2 || !areApart
      ? []
      : names.map(only =>
          world(`as their locks say, and ${only} offers more`, backend =>
            backend === only ? more(backend, isLocked) : lockedOf(backend, isLocked),
          ),
        )),
  ];
}

type IsLocked = (backend: string, kind: keyof Offer, name: unknown) => boolean;

/** What is not locked is described otherwise than it is. */
function more(backend: string, isLocked: IsLocked): Offer {
  const own = OFFERS[backend] as Offer;
  const names = new Set([...own.tools.map(({ name }) => name as string), ...GIVEN_NAMES]);
  return {
    tools: [...names].map(name => {
      const known = own.tools.find(tool => tool.name === name);
      if (known !== undefined && isLocked(backend, 'tools', name)) return known;
      const reads = (known?.annotations as { readOnlyHint?: boolean } | undefined)?.readOnlyHint === true;
      const annotations = reads ? { readOnlyHint: false, destructiveHint: true } : { readOnlyHint: true };
      return { name, description: `May do ${name}.`, inputSchema: { type: 'object' }, annotations };
    }),
    prompts: distinct([...all('prompts'), { name: 'extra' }], 'name'),
    resources: distinct([...own.resources, ...all('resources')], 'uri'),
    resourceTemplates: distinct(
      [...own.resourceTemplates, ...all('resourceTemplates'), { uriTemplate: 'other://{id}', name: 'other' }],
      'uriTemplate',
    ),
  };
}

function lockedOf(backend: string, isLocked: IsLocked): Offer {
  const own = OFFERS[backend] as Offer;
  return {
    tools: own.tools.filter(({ name }) => isLocked(backend, 'tools', name)),
    prompts: own.prompts.filter(({ name }) => isLocked(backend, 'prompts', name)),
    resources: own.resources.filter(({ uri }) => isLocked(backend, 'resources', uri)),
    resourceTemplates: own.resourceTemplates.filter(({ uriTemplate }) =>
      isLocked(backend, 'resourceTemplates', uriTemplate),
    ),
  };
}
