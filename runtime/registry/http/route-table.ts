import {
  API_DOCUMENT_PATH,
  API_DOCUMENT_YAML_PATH,
  BUILT_IN_PUBLIC_PATHS,
  PAGE_PARTS,
  type PagePart,
  REGISTRY_PATH,
  REGISTRY_ROUTES,
  type RegistryOperationType,
  type RegistryRoutePlan,
} from '#schemas';
import { isBelowPublic } from './public-prefix.ts';

/** The operation of a path: the web page, the description of the API, a route of the authenticator, or a part of a registry. */
export type Operation =
  | { readonly type: 'page'; readonly part: PagePart }
  | { readonly type: 'document'; readonly format: 'json' | 'yaml' }
  | { readonly type: 'own' }
  | RegistryOperation;

export interface RegistryOperation {
  readonly type: RegistryOperationType;
  readonly registry: string;
}

/** The requests to a path that need no token: none, only GET and HEAD (`readers`), or requests with any method. */
export type OpenTo = 'nobody' | 'readers' | 'everybody';

export interface TableRoute {
  /** The path in the bundle's form, with `{…}` for parameters. */
  readonly path: string;
  readonly operation: Operation;
  readonly openTo: OpenTo;
}

/** Which requests to a path need no token. Public paths of a configuration are open for reading, built-in public paths for every method. */
export function toAccessLevel(path: string, isPublic: boolean): OpenTo {
  if (!isPublic) return 'nobody';
  return isBelowPublic(path, BUILT_IN_PUBLIC_PATHS) ? 'everybody' : 'readers';
}

export interface RouteMatch {
  readonly route: TableRoute;
  /** The texts at the positions of `{…}`, in order; still encoded. */
  readonly parameters: readonly string[];
}

interface Branch {
  readonly children: Map<string, Branch>;
  parameter: Branch | undefined;
  route: TableRoute | undefined;
}

/**
 * The routes of a bundle, found by the raw path: segment by segment and byte by byte, without decoding. So each route has a single spelling. A proxy
 * in front may treat other spellings as the same path, but they reach no route.
 */
export class RouteTable {
  readonly #root: Branch = createBranch();

  /** @throws Error for a route that this runtime does not serve: its access rule would have no effect */
  constructor(plans: readonly RegistryRoutePlan[], ownPaths: { has(path: string): boolean }) {
    for (const plan of plans) {
      const operation = findOperation(plan, ownPaths);
      if (operation === undefined) throw new Error(`unknown route ${plan.method} ${plan.path}`);
      this.#add(plan.path, { path: plan.path, operation, openTo: toAccessLevel(plan.path, plan.access === 'public') });
    }
  }

  find(path: string): RouteMatch | undefined {
    if (!path.startsWith('/')) return undefined;
    const parameters: string[] = [];
    let node: Branch = this.#root;
    // Compares segment by segment and stops at the first difference, because clients decide how long a path is.
    for (let start = 1, end = 0; end !== path.length; start = end + 1) {
      end = path.indexOf('/', start);
      if (end === -1) end = path.length;
      const segment = path.slice(start, end);
      let next = node.children.get(segment);
      if (next === undefined) {
        next = node.parameter;
        parameters.push(segment);
      }
      if (next === undefined) return undefined;
      node = next;
    }
    // A path with a slash at the end is another path, and does not have an empty parameter.
    if (parameters.length > 0 && path.endsWith('/')) return undefined;
    return node.route === undefined ? undefined : { route: node.route, parameters };
  }

  #add(path: string, route: TableRoute): void {
    let node = this.#root;
    for (const segment of path.slice(1).split('/')) {
      if (segment.startsWith('{')) {
        node.parameter ??= createBranch();
        node = node.parameter;
      } else {
        let next = node.children.get(segment);
        if (next === undefined) {
          next = createBranch();
          node.children.set(segment, next);
        }
        node = next;
      }
    }
    node.route = route;
  }
}

function createBranch(): Branch {
  return { children: new Map(), parameter: undefined, route: undefined };
}

function findOperation(
  { path, registry }: RegistryRoutePlan,
  ownPaths: { has(path: string): boolean },
): Operation | undefined {
  if (path === API_DOCUMENT_PATH) return { type: 'document', format: 'json' };
  if (path === API_DOCUMENT_YAML_PATH) return { type: 'document', format: 'yaml' };
  const part = (Object.keys(PAGE_PARTS) as PagePart[]).find(value => PAGE_PARTS[value] === path);
  if (part !== undefined) return { type: 'page', part };
  if (ownPaths.has(path)) return { type: 'own' };
  if (registry === null) return undefined;
  const route = REGISTRY_ROUTES.find(known => path === `${REGISTRY_PATH}/${registry}${known.path}`);
  return route === undefined ? undefined : { type: route.operation, registry };
}
