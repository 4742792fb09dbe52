/** What backends really offer, and which part of it a tool lock contains. */
import type { CatalogItem } from '#schemas';

export interface Offer {
  readonly tools: readonly CatalogItem[];
  readonly prompts: readonly CatalogItem[];
  readonly resources: readonly CatalogItem[];
  readonly resourceTemplates: readonly CatalogItem[];
}

const inputSchema = { type: 'object' };
const tool = (name: string, annotations?: object): CatalogItem => ({
  name,
  description: `Does ${name}.`,
  inputSchema,
  ...(annotations === undefined ? {} : { annotations }),
});
const READS = { readOnlyHint: true };
const DESTROYS = { readOnlyHint: false, destructiveHint: true };

/** A tool that neither specs nor locks name. */
export const UNNAMED = 'new_one';

/** By the name of the backend. */
export const OFFERS: Readonly<Record<string, Offer>> = {
  alpha: {
    tools: [tool('read', READS), tool('write'), tool('drop', DESTROYS), tool('purge', DESTROYS), tool(UNNAMED)],
    prompts: [{ name: 'guide' }, { name: 'digest' }],
    resources: [{ uri: 'docs://handbook', name: 'handbook' }],
    resourceTemplates: [{ uriTemplate: 'docs://{space}/{page}', name: 'page' }],
  },
  beta: {
    tools: [tool('read', READS), tool('list', READS), tool('sweep'), tool(UNNAMED)],
    prompts: [{ name: 'guide' }],
    resources: [{ uri: 'docs://handbook', name: 'handbook' }],
    resourceTemplates: [
      { uriTemplate: 'docs://team/{page}', name: 'team page' },
      { uriTemplate: 'tickets://{id}', name: 'ticket' },
    ],
  },
  gamma: {
    tools: [tool('run'), tool('list', READS), tool('write', DESTROYS), tool(UNNAMED)],
    prompts: [],
    resources: [{ uri: 'logs://today', name: 'logs' }],
    resourceTemplates: [],
  },
};

export const BACKENDS: readonly string[] = Object.keys(OFFERS);

/** Items that backends added after the lock was written. */
const NEWER: ReadonlySet<unknown> = new Set(['purge', 'sweep', 'digest', 'tickets://{id}', UNNAMED]);

/** The part of an offer in a lock: `stale` locks lack newer items. */
export function lockedOffer({ tools, prompts, resources, resourceTemplates }: Offer, isStale: boolean): Offer {
  const known = (items: readonly CatalogItem[]) =>
    items.filter(
      ({ name, uriTemplate }) => name !== UNNAMED && (!isStale || !(NEWER.has(name) || NEWER.has(uriTemplate))),
    );
  return {
    tools: known(tools),
    prompts: known(prompts),
    resources: known(resources),
    resourceTemplates: known(resourceTemplates),
  };
}

/** URIs that callers read: listed ones, some that match templates, and some that no backend has. */
export const URIS: readonly string[] = [
  'docs://handbook',
  'docs://open/1',
  'docs://hr/salaries',
  'docs://team/plan',
  'tickets://7',
  'tickets://42',
  'logs://today',
  'logs://older',
  'other://1',
];

/** Arguments that policies read. */
export const ARGUMENTS: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { path: '/public/a' },
  { path: '/private/a' },
  { path: 7 },
  { path: 70 },
];
