/** The target of a request, from its method and URL. */
import type { AccessQuestion } from './access.ts';
import { qualified } from './api-error.ts';
import type { JsonObject } from './json.ts';
import { formatApiVersion, type ResourceType, type ResourceTypes } from './resource-types.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deletecollection';

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** One request for objects in the server's log. */
export interface ApiRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly verb: Verb;
  readonly type: ResourceType;
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects, and for lists over all namespaces. */
  readonly namespace: string;
  /** Empty for lists. */
  readonly name: string;
  readonly subresource: '' | 'status';
  readonly query: URLSearchParams;
  /** The effective user. */
  readonly user: User;
  /** The impersonated user, if any. */
  readonly impersonator: User | undefined;
  readonly dryRun: boolean;
  /** The field manager: from the query, otherwise the program in `User-Agent`. */
  readonly manager: string;
  readonly contentType: string;
  readonly body: string;
}

export interface Target {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: '' | 'status';
}

/** The objects that a path names; undefined for an unknown path. */
export function parseTarget(path: string, types: ResourceTypes): Target | undefined {
  const parts = path
    .split('/')
    .filter(part => part !== '')
    .map(decodeURIComponent);
  const [root, ...rest] = parts;
  const [group, version] = root === 'api' ? ['', rest[0]] : [rest[0], rest[1]];
  const below = rest.slice(root === 'api' ? 1 : 2);
  if ((root !== 'api' && root !== 'apis') || group === undefined || version === undefined) return undefined;
  const isInNamespace = below[0] === 'namespaces' && below.length > 2 && below[2] !== 'status';
  const [plural = '', name = '', subresource = ''] = isInNamespace ? below.slice(2) : below;
  const type = types.byPath(group, version, plural);
  if (type === undefined || below.length > (isInNamespace ? 5 : 3)) return undefined;
  if (isInNamespace !== (type.namespaced && (isInNamespace || name !== ''))) return undefined;
  if (subresource !== '' && (subresource !== 'status' || !type.hasStatus)) return undefined;
  return { type, namespace: isInNamespace ? (below[1] ?? '') : '', name, subresource };
}

export function findVerb(method: string, name: string, query: URLSearchParams, contentType: string): Verb | undefined {
  switch (method) {
    case 'GET':
      if (name !== '') return 'get';
      return ['true', '1'].includes(query.get('watch') ?? '') ? 'watch' : 'list';
    case 'POST':
      return name === '' ? 'create' : undefined;
    case 'PUT':
      return name === '' ? undefined : 'update';
    case 'PATCH':
      if (name === '') return undefined;
      return contentType === 'application/apply-patch+yaml' ? 'apply' : 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      return undefined;
  }
}

/** Describes the denied action, as the message of a 403 does. */
export function refusal(type: ResourceType, { user, verb, group, resource, namespace, name }: AccessQuestion): string {
  const subject = name === '' ? qualified(type) : `${qualified(type)} ${JSON.stringify(name)}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const what = `resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${scope}`;
  return `${subject} is forbidden: User ${JSON.stringify(user.name)} cannot ${verb} ${what}`;
}

/** The namespace whose Roles decide about a request. For a namespace that is itself: a Role in it may allow reading it. */
export const accessNamespace = ({ type, namespace, name }: ApiRequest): string =>
  type.group === '' && type.kind === 'Namespace' ? name : namespace;

/** The verb that rules must allow for a request: RBAC has no verb of its own for server-side apply. */
export const accessVerb = (verb: Verb): string => (verb === 'apply' ? 'patch' : verb);

export const storedPath = (namespace: string, name: string): string => `${namespace}/${name}`;

/** The object in the requested version of its type. */
export function inVersion(type: ResourceType, object: JsonObject): JsonObject {
  const apiVersion = formatApiVersion(type);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}
