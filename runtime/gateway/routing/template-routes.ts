import { compareText } from '#schemas';
import { MAX_URI_LENGTH, type Steps, type UriTemplate } from '#shared/plan';

/** Maximum number of steps that all templates together may take for one URI, in equal shares for backends: about a millisecond. */
export const MAX_STEPS = 100_000;

/** Maximum number of templates of one backend. */
export const MAX_TEMPLATES = 1_000;

export interface TemplateRoute {
  readonly template: UriTemplate;
  readonly backend: string;
}

/** Templates of some callers, which replace or extend those of all callers. */
export interface OwnTemplates {
  readonly routes: TemplateRoutes;
  /** The texts of the templates that are replaced, including those that have no replacement. */
  readonly texts: ReadonlySet<string>;
}

/** Templates with the same literal prefix. */
interface Group {
  readonly prefix: string;
  /** The routes of the templates in the order in which they are checked. */
  readonly routes: readonly TemplateRoute[];
  /** The group with the longest prefix that this group's prefix begins with. */
  readonly shorter: Group | undefined;
  /** Backends with templates here or in a shorter group. */
  readonly backends: ReadonlySet<string>;
}

/**
 * Finds the backend of a URI that no list contains. It checks only templates whose literal prefix the URI has. The cost of a template depends on
 * the backend's text and the client's URI: when a backend's share of steps is used up, its templates do not match, but those of other backends
 * still do.
 */
export class TemplateRoutes {
  /** Sorted by the code units of their prefixes, ascending. */
  readonly #groups: readonly Group[];

  /** @param routes routes with the same prefix are in the order of their checks */
  constructor(routes: readonly TemplateRoute[]) {
    this.#groups = groupRoutes(routes);
  }

  /**
   * The backend of the first template that could have produced the URI; templates with a longer prefix come first.
   * @param over templates of the caller, which replace templates with the same texts and are checked in the same order
   */
  findBackend(uri: string, over?: OwnTemplates): string | undefined {
    if (uri.length > MAX_URI_LENGTH) return undefined;
    let shared = this.#findLongest(uri);
    let own = over === undefined ? undefined : over.routes.#findLongest(uri);
    const steps = new StepShares(countBackends(shared, own));
    while (shared !== undefined || own !== undefined) {
      const length = Math.max(shared?.prefix.length ?? 0, own?.prefix.length ?? 0);
      const here = shared?.prefix.length === length ? shared : undefined;
      const ownHere = own?.prefix.length === length ? own : undefined;
      for (const { template, backend } of listRoutes(here, ownHere, over)) {
        const left = steps.getSteps(backend);
        if (left.left > 0 && template.fits(uri, left)) return backend;
      }
      if (here !== undefined) shared = here.shorter;
      if (ownHere !== undefined) own = ownHere.shorter;
    }
    return undefined;
  }

  /** The group with the longest prefix of a URI. */
  #findLongest(uri: string): Group | undefined {
    // A prefix of the URI sorts before the URI, and all texts between them share that prefix.
    const group = this.#groups[countUpTo(this.#groups, uri) - 1];
    if (group === undefined) return undefined;
    const common = countCommonCharacters(group.prefix, uri);
    let longest: Group | undefined = group;
    while (longest !== undefined && longest.prefix.length > common) longest = longest.shorter;
    return longest;
  }
}

/** The remaining steps of each backend for one URI. */
class StepShares {
  readonly #share: number;
  readonly #left = new Map<string, Steps>();

  constructor(backends: number) {
    this.#share = Math.floor(MAX_STEPS / backends);
  }

  getSteps(backend: string): Steps {
    let left = this.#left.get(backend);
    if (left === undefined) {
      left = { left: this.#share };
      this.#left.set(backend, left);
    }
    return left;
  }
}

function countBackends(one: Group | undefined, other: Group | undefined): number {
  if (one === undefined || other === undefined) return (one ?? other)?.backends.size ?? 1;
  return new Set([...one.backends, ...other.backends]).size;
}

/** The templates with one prefix, in the order of their checks. */
function listRoutes(
  shared: Group | undefined,
  own: Group | undefined,
  over: OwnTemplates | undefined,
): readonly TemplateRoute[] {
  const routes = shared?.routes ?? [];
  if (over === undefined) return routes;
  const others = routes.filter(({ template }) => !over.texts.has(template.text));
  if (own === undefined) return others;
  return others.concat(own.routes).sort((a, b) => compareText(a.template.text, b.template.text));
}

function groupRoutes(routes: readonly TemplateRoute[]): Group[] {
  const byPrefix = Map.groupBy(routes, ({ template }) => template.prefix);
  const groups: Group[] = [];
  let last: Group | undefined;
  for (const prefix of [...byPrefix.keys()].sort()) {
    while (last !== undefined && !prefix.startsWith(last.prefix)) last = last.shorter;
    const own = byPrefix.get(prefix) ?? [];
    last = { prefix, routes: own, shorter: last, backends: listBackends(own, last?.backends) };
    groups.push(last);
  }
  return groups;
}

/** The backends of templates together with `others`; `others` itself when the templates add none. */
function listBackends(routes: readonly TemplateRoute[], others: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  const added = routes.map(({ backend }) => backend).filter(backend => !others.has(backend));
  return added.length === 0 ? others : new Set([...others, ...added]);
}

/** The number of groups whose prefixes do not sort after a URI. */
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

function countCommonCharacters(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let length = 0;
  while (length < end && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}
