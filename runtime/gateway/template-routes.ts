import type { Steps, UriTemplate } from './uri-template.ts';

/** Characters of a URI that templates are asked about; one that is longer has to be listed. */
export const MAX_URI_LENGTH = 8_192;

/** Steps that all templates together may take over one URI, in equal shares for backends: about a millisecond. */
export const MAX_STEPS = 100_000;

/** Templates of one backend. */
export const MAX_TEMPLATES = 1_000;

export interface TemplateRoute {
  readonly template: UriTemplate;
  readonly backend: string;
}

/** Templates of one literal beginning. */
interface Group {
  readonly prefix: string;
  /** In the order in which they are asked. */
  readonly routes: readonly TemplateRoute[];
  /** Those with the longest beginning that this one begins with. */
  readonly shorter: Group | undefined;
  /** That have templates here or in a shorter group. */
  readonly backends: ReadonlySet<string>;
}

/**
 * Which backend reads a URI that no list names. Only templates are asked whose literal beginning the URI has. What one takes
 * depends on what its backend wrote and a client asks for: where a backend's share of steps is used up, its templates do not
 * match, whereas those of other backends do.
 */
export class TemplateRoutes {
  readonly routes: readonly TemplateRoute[];
  /** By the code units of their beginnings, ascending. */
  readonly #groups: readonly Group[];

  /** @param routes in the order in which those of one beginning are asked */
  constructor(routes: readonly TemplateRoute[]) {
    this.routes = routes;
    this.#groups = groupsOf(routes);
  }

  /** The backend of the first template that could have produced the URI; those that begin with more of it come first. */
  backendOf(uri: string): string | undefined {
    if (uri.length > MAX_URI_LENGTH) return undefined;
    const longest = this.#longest(uri);
    if (longest === undefined) return undefined;
    const share = Math.floor(MAX_STEPS / longest.backends.size);
    const steps = new Map<string, Steps>();
    for (let group: Group | undefined = longest; group !== undefined; group = group.shorter) {
      for (const { template, backend } of group.routes) {
        let left = steps.get(backend);
        if (left === undefined) {
          left = { left: share };
          steps.set(backend, left);
        }
        if (left.left > 0 && template.fits(uri, left)) return backend;
      }
    }
    return undefined;
  }

  /** The group with the longest beginning that a URI has. */
  #longest(uri: string): Group | undefined {
    // What a URI begins with is not behind it, and everything from there up to the URI begins with the same.
    const group = this.#groups[countUpTo(this.#groups, uri) - 1];
    if (group === undefined) return undefined;
    const common = commonLength(group.prefix, uri);
    let longest: Group | undefined = group;
    while (longest !== undefined && longest.prefix.length > common) longest = longest.shorter;
    return longest;
  }
}

function groupsOf(routes: readonly TemplateRoute[]): Group[] {
  const byPrefix = Map.groupBy(routes, ({ template }) => template.prefix);
  const groups: Group[] = [];
  let last: Group | undefined;
  for (const prefix of [...byPrefix.keys()].sort()) {
    while (last !== undefined && !prefix.startsWith(last.prefix)) last = last.shorter;
    const own = byPrefix.get(prefix) ?? [];
    last = { prefix, routes: own, shorter: last, backends: backendsOf(own, last?.backends) };
    groups.push(last);
  }
  return groups;
}

/** The same set where there is none to add. */
function backendsOf(routes: readonly TemplateRoute[], others: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  const added = routes.map(({ backend }) => backend).filter(backend => !others.has(backend));
  return added.length === 0 ? others : new Set([...others, ...added]);
}

/** How many groups have beginnings that are not behind a URI. */
function countUpTo(groups: readonly Group[], uri: string): number {
  let low = 0;
  let high = groups.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((groups[middle] as Group).prefix <= uri) low = middle + 1;
    else high = middle;
  }
  return low;
}

function commonLength(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let length = 0;
  while (length < end && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}
