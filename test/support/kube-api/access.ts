/** Authentication and authorization: bearer tokens, impersonation, and the rules of Roles and ClusterRoles. */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from './api-error.ts';
import type { JsonObject } from './json.ts';
import type { User } from './request.ts';

export interface AccessQuestion {
  readonly user: User;
  /** The verb as rules name it: `get`, `list`, `patch`, `impersonate`, … */
  readonly verb: string;
  readonly group: string;
  /** The plural name with the subresource: `deployments`, `deployments/status`. */
  readonly resource: string;
  /** Empty for cluster-scoped objects, and for lists over all namespaces. */
  readonly namespace: string;
  /** Empty for lists and creations. */
  readonly name: string;
}

export type Authorize = (question: AccessQuestion) => boolean;

export interface Tokens {
  readonly [token: string]: User;
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** A user with the groups of its kind. */
export function createUser(name: string, groups: readonly string[] = []): User {
  const account = SERVICE_ACCOUNT.exec(name);
  const implied = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`];
  return { name, groups: [...new Set([...groups, ...implied, 'system:authenticated'])] };
}

/**
 * The user of a request, and the user whom it impersonates.
 *
 * @throws ApiError 401 for an unknown token, 403 for an impersonation that is not allowed
 */
export function identify(
  headers: IncomingHttpHeaders,
  tokens: Tokens,
  authorize: Authorize,
): { readonly user: User; readonly impersonator: User | undefined } {
  const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
  const sender = token === undefined ? undefined : tokens[token];
  if (sender === undefined) throw new ApiError(401, 'Unauthorized', 'Unauthorized');
  const name = headers['impersonate-user'];
  if (typeof name !== 'string') return { user: sender, impersonator: undefined };
  const given = headers['impersonate-group'];
  // Node joins repeated headers with a comma.
  const groups =
    given === undefined
      ? []
      : String(given)
          .split(',')
          .map(group => group.trim());
  const account = SERVICE_ACCOUNT.exec(name);
  const [, namespace = '', accountName = name] = account ?? [];
  const base = { user: sender, verb: 'impersonate', group: '' };
  const questions: AccessQuestion[] = [
    { ...base, resource: account === null ? 'users' : 'serviceaccounts', namespace, name: accountName },
    ...groups.map(group => ({ ...base, resource: 'groups', namespace: '', name: group })),
  ];
  for (const question of questions) {
    if (authorize(question)) continue;
    const { resource } = question;
    const scope =
      question.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(question.namespace)}`;
    throw new ApiError(
      403,
      'Forbidden',
      `${resource} ${JSON.stringify(question.name)} is forbidden: User ${JSON.stringify(sender.name)} cannot impersonate resource ${JSON.stringify(resource)} in API group "" ${scope}`,
      { name: question.name, kind: resource },
    );
  }
  return { user: createUser(name, groups), impersonator: sender };
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Binding {
  readonly namespace: string;
  readonly isForCluster: boolean;
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
  readonly rules: readonly Rule[];
}

/**
 * Decides by the stored Roles, ClusterRoles and bindings, like a cluster's RBAC authorizer; members of `system:masters` may do everything.
 * Objects are read each time, so that rules can change.
 */
export function roleBasedAccess(objects: () => readonly JsonObject[]): Authorize {
  return question => {
    if (question.user.groups.includes('system:masters')) return true;
    return bindingsOf(objects()).some(
      binding =>
        (binding.isForCluster || (question.namespace !== '' && binding.namespace === question.namespace)) &&
        binding.subjects.some(subject => isSubject(subject, question.user, binding.namespace)) &&
        binding.rules.some(rule => allows(rule, question)),
    );
  };
}

function bindingsOf(objects: readonly JsonObject[]): Binding[] {
  const metadata = (object: JsonObject) => object.metadata as { readonly name: string; readonly namespace?: string };
  return objects.flatMap(object => {
    if (object.kind !== 'RoleBinding' && object.kind !== 'ClusterRoleBinding') return [];
    const { namespace = '' } = metadata(object);
    const reference = object.roleRef as { readonly kind: string; readonly name: string };
    const role = objects.find(
      one =>
        one.kind === reference.kind &&
        metadata(one).name === reference.name &&
        (reference.kind === 'ClusterRole' || metadata(one).namespace === namespace),
    );
    return [
      {
        namespace,
        isForCluster: object.kind === 'ClusterRoleBinding',
        subjects: (object.subjects ?? []) as unknown as Binding['subjects'],
        rules: (role?.rules ?? []) as unknown as readonly Rule[],
      },
    ];
  });
}

function isSubject({ kind, name, namespace }: Binding['subjects'][number], user: User, ofBinding: string): boolean {
  if (kind === 'Group') return user.groups.includes(name);
  if (kind === 'ServiceAccount') return user.name === `system:serviceaccount:${namespace ?? ofBinding}:${name}`;
  return kind === 'User' && user.name === name;
}

function allows(rule: Rule, { verb, group, resource, name }: AccessQuestion): boolean {
  const has = (list: readonly string[] | undefined, value: string) =>
    list?.some(one => one === '*' || one === value) === true;
  const subresource = resource.split('/')[1];
  return (
    has(rule.verbs, verb) &&
    has(rule.apiGroups, group) &&
    (has(rule.resources, resource) ||
      (subresource !== undefined && rule.resources?.includes(`*/${subresource}`) === true)) &&
    // Resource names only apply to requests with a name: such a rule never allows a list or a creation.
    (rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
}
