/**
 * Sets of items that backends may offer. A tool lock only has a part of them, and a gateway serves whatever else backends come to offer. So
 * `lintel diff` is about all offers that include the locked items, and a pair is tested with several of them.
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

/** Names from overrides, which filters may list. */
const GIVEN_NAMES = ['fetch', 'store', 'read', 'write'];

/**
 * Worlds for the backends in bundles.
 *
 * @param areApart adds worlds in which only one backend offers something, for when it matters which backend has a name
 */
export function listWorlds(bundles: readonly GatewayBundle[], areApart: boolean): readonly World[] {
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

/** Items of a backend, in which those that are not locked have other descriptions. */
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
