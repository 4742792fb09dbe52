/** Group membership: through the groups in the token, and through the entities of the spec. */
import { CEDAR_ACTIONS, type EntityUid } from '#shared/plan';
import { formatEntityUid, isSameEntity } from '../../../cedar/expression.ts';
import { FALSE, type Fn, TRUE } from './bdd.ts';
import type { FactTable } from './facts.ts';
import type { CedarSide } from './side.ts';

export interface MembershipContext {
  readonly facts: FactTable;
  readonly side: CedarSide;
  readonly resourceType: string;
  /** A text in front of every fact about the caller. */
  readonly prefix: string;
  readonly caller: (id: string) => Fn;
  readonly name: (id: string) => Fn;
}

/** Types whose entities get parents from the request, so that a group of such a type has further members. */
const OWN_TYPES: ReadonlySet<string> = new Set([
  'Action',
  'Client',
  'MCP',
  ...Object.values(CEDAR_ACTIONS).map(({ type }) => type),
]);

/** The condition under which something equals an entity or descends from it. */
export function buildMembership(
  start: 'caller' | 'resource' | EntityUid,
  ancestor: EntityUid,
  request: MembershipContext,
): Fn {
  const { facts: factTable, side, resourceType, prefix } = request;
  const { diagrams } = factTable;
  if (OWN_TYPES.has(side.groupType)) {
    const what = typeof start === 'string' ? start : formatEntityUid(start);
    return factTable.getVariable(`${prefix}${what} in ${formatEntityUid(ancestor)} of ${JSON.stringify(side)}`, {
      kind: 'other',
    });
  }
  if (start === 'resource') {
    const server = isBelow({ type: 'MCP', id: side.server }, ancestor, side);
    if (server) return TRUE;
    const below = listEntitiesBelow(ancestor, side).filter(({ type }) => type === resourceType);
    return diagrams.or(...below.map(({ id }) => request.name(id)));
  }
  if (start !== 'caller') return isBelow(start, ancestor, side) ? TRUE : FALSE;
  const below = listEntitiesBelow(ancestor, side);
  return diagrams.or(
    ...below.filter(({ type }) => type === 'Client').map(({ id }) => request.caller(id)),
    ...below.filter(({ type }) => type === side.groupType).map(({ id }) => hasGroup(id, request)),
  );
}

/** An entity, and all entities that the spec makes its descendants. */
function listEntitiesBelow(ancestor: EntityUid, side: CedarSide): readonly EntityUid[] {
  const known = [ancestor, ...side.entities.map(({ uid }) => uid)];
  const below = known.filter(uid => isBelow(uid, ancestor, side));
  return [...new Map(below.map(uid => [formatEntityUid(uid), uid])).values()];
}

function isBelow(uid: EntityUid, ancestor: EntityUid, { statics }: CedarSide): boolean {
  const seen = new Set<string>();
  const remaining = [uid];
  for (let at = remaining.pop(); at !== undefined; at = remaining.pop()) {
    if (isSameEntity(at, ancestor)) return true;
    if (seen.has(formatEntityUid(at))) continue;
    seen.add(formatEntityUid(at));
    remaining.push(...(statics.get(formatEntityUid(at))?.parents ?? []));
  }
  return false;
}

/** The first group claim that a token has decides; the role claim adds to it. */
function hasGroup(id: string, { facts: factTable, side, prefix }: MembershipContext): Fn {
  const { diagrams } = factTable;
  if (side.hasSharedClaims)
    return factTable.getVariable(`${prefix}principal in ${formatEntityUid({ type: side.groupType, id })}`, {
      kind: 'other',
    });
  const holds = (claim: string) =>
    factTable.getVariable(`${prefix}claim ${claim} lists ${JSON.stringify(id)}`, {
      kind: 'group',
      claim: prefix + claim,
      value: id,
    });
  const hasClaim = (claim: string) =>
    factTable.getVariable(`${prefix}claim ${claim} is there`, { kind: 'lists', claim: prefix + claim });
  let before: Fn = TRUE;
  const found: Fn[] = side.roleClaim === null ? [] : [holds(side.roleClaim)];
  for (const claim of side.groupClaims) {
    found.push(diagrams.and(before, hasClaim(claim), holds(claim)));
    before = diagrams.and(before, diagrams.not(hasClaim(claim)));
  }
  return diagrams.or(...found);
}
