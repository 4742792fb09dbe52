import type { GatewayBundle } from '#schemas';
import { ANONYMOUS_PRINCIPAL, type EntityUid } from '#shared/plan';
import { listGroupTests } from '../../analysis/cedar/asked-groups.ts';
import { findReadablePolicies } from '../../analysis/cedar/authorization.ts';
import { formatEntityUid, isSameEntity } from '../../analysis/cedar/expression.ts';
import { diagnoseText } from '../../analysis/cedar/locate-text.ts';
import { listNamedEntities } from '../../analysis/cedar/named-entities.ts';
import type { StaticEntities } from '../../analysis/cedar/partial-request.ts';
import { isShared } from '../../analysis/cedar/shared-policies.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * A policy about groups never matches callers without groups. Another rule covers anonymous callers (LNT4006).
 *
 * @holds incomingAuth | policies | test groups only if callers can have groups | LNT5017
 * @for gateways, servers
 * @reads sign-in
 */
export function callersWithoutGroups(gateway: GatewayModel): Diagnostic[] {
  const why = explainNoGroups(gateway.plan);
  const set = why === undefined ? undefined : findReadablePolicies(gateway);
  if (why === undefined || set === undefined) return [];
  const groupsOfClients = collectGroupsOfClients(set.entities);
  return set.policies.flatMap(policy => {
    const groups = listGroupTests(policy.condition, set.source.groupType).filter(
      uid => !groupsOfClients.has(formatEntityUid(uid)),
    );
    const named = groups.length === 0 ? [] : listNamedEntities(policy.text);
    return groups.map(group => {
      const { part } = named.find(({ uid }) => isSameEntity(uid, group)) ?? { part: WHOLE };
      const placed = { ...part, offset: policy.offset + part.offset };
      const message = `${policy.name}: no caller is in ${formatEntityUid(group)}, because ${why}`;
      return diagnoseText(policy.source, 'LNT5017', placed, message, {
        ...(isShared(gateway, policy.source) ? { severity: 'hint' } : {}),
      });
    });
  });
}

const WHOLE = { offset: 0, length: 0 };

/** Undefined when callers may have groups. */
function explainNoGroups({ incomingAuth, authorization, authServer }: GatewayBundle): string | undefined {
  if (incomingAuth.type === 'local') return 'the local user has no groups';
  if (incomingAuth.type !== 'oidc' || authServer === undefined) return undefined;
  const isOwn = incomingAuth.providers.every(({ issuer }) => issuer === authServer.issuer);
  const isByUpstream = authorization.engine !== 'cedar' || authorization.primaryUpstream !== undefined;
  return isOwn && !isByUpstream
    ? 'tokens of authServerConfig carry no groups, and primaryUpstreamProvider names no upstream whose tokens carry groups'
    : undefined;
}

/** The groups that the spec's entities put callers into, such as `Group::"eng"`; groups may be nested. */
function collectGroupsOfClients(entities: StaticEntities): ReadonlySet<string> {
  const groups = new Set<string>();
  const waiting: EntityUid[] = [...entities]
    .filter(([key]) => key.startsWith(`${ANONYMOUS_PRINCIPAL.type}::`))
    .flatMap(([, { parents }]) => parents);
  for (let uid = waiting.pop(); uid !== undefined; uid = waiting.pop()) {
    const key = formatEntityUid(uid);
    if (groups.has(key)) continue;
    groups.add(key);
    waiting.push(...(entities.get(key)?.parents ?? []));
  }
  return groups;
}
