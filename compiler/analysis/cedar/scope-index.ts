/** Finds the policies that may be wider than a given one, without comparing every pair. */
import { formatEntityUid, type PolicyJson, parseEntityUid } from './expression.ts';

type PolicyScope = Pick<PolicyJson, 'principal' | 'resource'>;

/** The key for a scope that names no single entity. */
const ANY = '';

/**
 * Items indexed by the entities in their scopes. A scope with an entity can only cover scopes with the same entity, so most pairs need no
 * comparison.
 */
export class ScopeIndex<Item> {
  readonly #buckets = new Map<string, [order: number, item: Item][]>();

  constructor(items: readonly Item[], scopeOf: (item: Item) => PolicyScope) {
    items.forEach((item, order) => {
      const { principal, resource } = scopeOf(item);
      const key = formatBucket(readEntity(principal), readEntity(resource));
      const bucket = this.#buckets.get(key);
      if (bucket === undefined) this.#buckets.set(key, [[order, item]]);
      else bucket.push([order, item]);
    });
  }

  /** The first item, in list order, whose scope may cover the given one and that passes the test. */
  findFirst({ principal, resource }: PolicyScope, test: (item: Item) => boolean): Item | undefined {
    const principals = new Set([ANY, readEntity(principal)]);
    const resources = new Set([ANY, readEntity(resource)]);
    const keys = [...principals].flatMap(who => [...resources].map(what => formatBucket(who, what)));
    const found = keys.flatMap(key => {
      const entry = this.#buckets.get(key)?.find(([, item]) => test(item));
      return entry === undefined ? [] : [entry];
    });
    return found.sort(([a], [b]) => a - b)[0]?.[1];
  }
}

function formatBucket(principal: string, resource: string): string {
  return JSON.stringify([principal, resource]);
}

function readEntity(constraint: PolicyScope['principal'] | PolicyScope['resource']): string {
  const named = constraint.op === 'is' ? constraint.in : constraint;
  return named !== undefined && 'entity' in named ? formatEntityUid(parseEntityUid(named.entity)) : ANY;
}
