/**
 * Finds claims and groups of a caller that no policy reads, and groups that policies test and no caller has. They are usually typing
 * mistakes.
 */
import { type EntityUid, readCedarUses, readGroups } from '#shared/plan';
import { findNearest } from '#shared/util';
import { formatList, quote } from '../../text/describe.ts';
import { listGroupTests } from '../cedar/asked-groups.ts';
import { findPolicySet, type NamedPolicy, type PolicySet } from '../cedar/authorization.ts';
import { formatEntityUid } from '../cedar/expression.ts';
import type { GatewayModel } from '../gateway/model.ts';
import type { Claims } from './admission.ts';
import { namePolicy, placePolicy } from './policies.ts';

/** Claims that authentication uses, or that no policy needs to use. */
const OF_TOKENS = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'cnf', 'azp', 'client_id', 'scope', 'scp'];

/**
 * Describes claims that decide nothing, although they were probably meant to.
 *
 * @param areChosen whether the claims were chosen for this question: then a claim that no policy reads is probably a mistake
 */
export function describeIdleClaims(
  gateway: GatewayModel,
  claims: Claims | undefined,
  areChosen: boolean,
): readonly string[] {
  const { authorization, incomingAuth } = gateway.plan;
  const set = findPolicySet(gateway);
  if (claims === undefined || set === undefined || authorization.engine !== 'cedar' || incomingAuth.type !== 'oidc')
    return [];
  const { groupClaims, roleClaim } = authorization;
  const forGroups = [...groupClaims, ...(roleClaim === null ? [] : [roleClaim])];
  const reads = readCedarUses(set.policies.map(({ json }) => json));
  // Some policy reads all claims at once.
  if (reads === undefined) return [];
  const read = [...reads].flatMap(name => /^claim(?:set)?_(.+)$/s.exec(name)?.[1] ?? []);
  const known = new Set([...forGroups, ...read, ...OF_TOKENS]);
  const unread = Object.keys(claims)
    // A claim that is named by a path is a member of another claim.
    .filter(name => !known.has(name) && !forGroups.some(path => path.startsWith(`${name}.`)))
    .flatMap(name => {
      const near = findNearest(name, [...forGroups, ...read]);
      const isMeant = near !== undefined && !Object.hasOwn(claims, near);
      if (!isMeant && !areChosen) return [];
      return [`no policy reads the claim ${quote(name)}${isMeant ? `; did you mean ${quote(near)}?` : ''}`];
    });
  const texts = forGroups
    .filter(name => typeof claims[name] === 'string' && !read.includes(name))
    .map(name => `the claim ${quote(name)} is a text, and only a list names groups`);
  return [...unread, ...texts];
}

/** Groups of the caller that no policy names. Empty when some policy reads groups as a claim. */
export function describeIdleGroups(
  gateway: GatewayModel,
  claims: Claims | undefined,
  areChosen: boolean,
): readonly string[] {
  const { authorization, incomingAuth } = gateway.plan;
  const set = findPolicySet(gateway);
  if (claims === undefined || set === undefined || authorization.engine !== 'cedar' || incomingAuth.type !== 'oidc')
    return [];
  const reads = readCedarUses(set.policies.map(({ json }) => json));
  const { groupClaims, roleClaim } = authorization;
  const names = [...groupClaims, ...(roleClaim === null ? [] : [roleClaim])];
  const isRead = (name: string) => reads === undefined || reads.has(`claim_${name}`) || reads.has(`claimset_${name}`);
  return names.some(isRead) ? [] : listUnnamedGroups(set, readGroups(claims, authorization), areChosen);
}

function listUnnamedGroups(set: PolicySet, groups: readonly string[], areChosen: boolean): readonly string[] {
  const requested = [...new Set(set.policies.flatMap(policy => listGroupsOfPolicy(policy, set).map(({ id }) => id)))];
  // Entities of the spec may put a group into another one.
  const placed = new Set([...set.entities.keys()]);
  return groups
    .filter(
      group => !requested.includes(group) && !placed.has(formatEntityUid({ type: set.source.groupType, id: group })),
    )
    .flatMap(group => {
      const near = findNearest(
        group,
        requested.filter(value => !groups.includes(value)),
      );
      if (near === undefined && !areChosen) return [];
      return [`no policy names the group ${quote(group)}${near === undefined ? '' : `; did you mean ${quote(near)}?`}`];
    });
}

/** Groups that policies test and that none of these callers is in. */
export function listGroupsWithoutCallers(gateway: GatewayModel, callers: readonly Claims[]): readonly string[] {
  const { authorization, incomingAuth } = gateway.plan;
  const set = findPolicySet(gateway);
  if (set === undefined || authorization.engine !== 'cedar' || incomingAuth.type !== 'oidc') return [];
  const own = [...new Set(callers.flatMap(claims => readGroups(claims, authorization)))];
  const subjects = callers.flatMap(({ sub }) => (typeof sub === 'string' ? [sub] : []));
  const roots: readonly EntityUid[] = [
    ...own.map(id => ({ type: set.source.groupType, id })),
    ...subjects.map(id => ({ type: 'Client', id })),
  ];
  const reached = collectDescendants(set, roots);
  const missing = Map.groupBy(
    set.policies.flatMap(policy =>
      listGroupsOfPolicy(policy, set).map(group => ({ group: formatEntityUid(group), id: group.id, policy })),
    ),
    ({ group }) => group,
  );
  return [...missing].flatMap(([group, uses]) => {
    const [first] = uses;
    if (reached.has(group) || first === undefined) return [];
    const policies = [...new Set(uses.map(({ policy }) => namePolicy(placePolicy(policy))))];
    const near = findNearest(first.id, own);
    const meant =
      near === undefined ? '' : `; did you mean ${formatEntityUid({ type: set.source.groupType, id: near })}?`;
    return [
      `none of these callers is in ${group}, which ${formatList(policies)} ${policies.length === 1 ? 'requires' : 'require'}${meant}`,
    ];
  });
}

function listGroupsOfPolicy({ condition }: NamedPolicy, { source }: PolicySet): readonly EntityUid[] {
  return listGroupTests(condition, source.groupType);
}

/** The groups, and all entities that the spec puts them into. */
function collectDescendants({ entities }: PolicySet, roots: readonly EntityUid[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...roots];
  for (let uid = waiting.pop(); uid !== undefined; uid = waiting.pop()) {
    const key = formatEntityUid(uid);
    if (found.has(key)) continue;
    found.add(key);
    waiting.push(...(entities.get(key)?.parents ?? []));
  }
  return found;
}
