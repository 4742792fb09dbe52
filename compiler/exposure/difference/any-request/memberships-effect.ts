/** What it does to access that callers, or what they ask for, are in other groups: claims that list groups, and entities. */
import type { CedarEntityPlan, CedarPlan } from '#schemas';
import { type Expr, entityOf, keyOf, nodeOf } from '../../../cedar/expression.ts';
import { parsePolicies } from '../../../cedar/parse-policies.ts';
import type { Effect } from '../difference.ts';
import { together } from '../effect.ts';
import type { PolicyTexts } from './policies-effect.ts';

export type Memberships = Pick<
  CedarPlan,
  'entities' | 'groupType' | 'groupClaims' | 'roleClaim' | 'multiValuedClaims' | 'server'
>;

/** Entities that policies ask somebody or something to be in: where that helps a caller, and where it harms. */
interface Uses {
  readonly helps: ReadonlySet<string>;
  readonly harms: ReadonlySet<string>;
}

interface CollectedUses extends Uses {
  readonly helps: Set<string>;
  readonly harms: Set<string>;
}

/** Stands for whatever an expression may come to. */
const ANYTHING = '*';

/** Of other memberships under the same policies. */
export function membershipsEffect(policies: PolicyTexts, was: Memberships, is: Memberships): Effect {
  const uses = usesIn(policies);
  const isUsed = uses.helps.size > 0 || uses.harms.size > 0;
  const isOther = (name: keyof Memberships) => JSON.stringify(was[name]) !== JSON.stringify(is[name]);
  const effects: Effect[] = [];
  if (isOther('multiValuedClaims') || isOther('server')) effects.push('mixed');
  if (isOther('groupType')) effects.push(groupTypeEffect(was, is, uses));
  if (isOther('groupClaims') && isUsed) effects.push('mixed');
  if (isOther('roleClaim') && isUsed) effects.push(roleEffect(was.roleClaim, is.roleClaim, uses));
  if (isOther('entities')) effects.push(entitiesEffect(was.entities, is.entities, uses));
  return together(effects);
}

/** Callers leave the groups of one type, and come to those of another. */
function groupTypeEffect(was: Memberships, is: Memberships, { helps, harms }: Uses): Effect {
  const touches = ({ groupType, entities }: Memberships, used: ReadonlySet<string>) =>
    [...used].some(key => key === ANYTHING || key.startsWith(`${groupType}::`)) ||
    // By way of a group they may be in anything else.
    (used.size > 0 && entities.some(({ uid }) => uid.type === groupType));
  return together([
    ranked(false, touches(was, helps), touches(was, harms)),
    ranked(true, touches(is, helps), touches(is, harms)),
  ]);
}

/** A role is one more group. */
function roleEffect(was: string | null, is: string | null, { helps, harms }: Uses): Effect {
  if (was !== null && is !== null) return 'mixed';
  return ranked(is !== null, helps.size > 0, harms.size > 0);
}

function entitiesEffect(
  was: readonly CedarEntityPlan[],
  is: readonly CedarEntityPlan[],
  { helps, harms }: Uses,
): Effect {
  // What policies read of an entity may be anything.
  if (attributesOf(was) !== attributesOf(is)) return 'mixed';
  const [old, now] = [ancestorsIn(was), ancestorsIn(is)];
  const [gained, lost] = [without(now, old), without(old, now)];
  const meets = (ancestors: ReadonlySet<string>, used: ReadonlySet<string>) =>
    ancestors.size > 0 && (used.has(ANYTHING) || [...used].some(one => ancestors.has(one)));
  return together([
    ranked(true, meets(gained, helps), meets(gained, harms)),
    ranked(false, meets(lost, helps), meets(lost, harms)),
  ]);
}

function ranked(isMore: boolean, helps: boolean, harms: boolean): Effect {
  if (helps && harms) return 'mixed';
  if (!helps && !harms) return 'same';
  return isMore === helps ? 'wider' : 'narrower';
}

function attributesOf(entities: readonly CedarEntityPlan[]): string {
  const described = entities.flatMap(({ uid, attrs, tags = {} }) =>
    Object.keys(attrs).length + Object.keys(tags).length === 0 ? [] : [JSON.stringify([uid, attrs, tags])],
  );
  return described.toSorted().join();
}

/** Each entity with each that it is in, directly or through others: `descendant` and `ancestor`. */
function ancestorsIn(entities: readonly CedarEntityPlan[]): ReadonlyMap<string, ReadonlySet<string>> {
  const parents = new Map<string, string[]>();
  for (const entity of entities) {
    const key = keyOf(entity.uid);
    parents.set(key, [...(parents.get(key) ?? []), ...entity.parents.map(keyOf)]);
  }
  const above = (key: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const left = [...(parents.get(key) ?? [])];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      left.push(...(parents.get(next) ?? []));
    }
    return found;
  };
  return new Map([...parents.keys()].map(key => [key, above(key)]));
}

/** Ancestors that some entity has on this side only. */
function without(
  side: ReadonlyMap<string, ReadonlySet<string>>,
  other: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  return new Set(
    [...side].flatMap(([key, ancestors]) => [...ancestors].filter(ancestor => !other.get(key)?.has(ancestor))),
  );
}

function usesIn(policies: PolicyTexts): Uses {
  const uses = { helps: new Set<string>(), harms: new Set<string>() };
  for (const { text } of policies) {
    for (const { json, condition } of parsePolicies(text).policies) collect(condition, json.effect === 'permit', uses);
  }
  return uses;
}

/** @param helps whether a caller gains where the expression is true; undefined where that depends */
function collect(expr: Expr, helps: boolean | undefined, uses: CollectedUses): void {
  const node = nodeOf(expr);
  switch (node.op) {
    case '&&':
    case '||':
      collect(node.left, helps, uses);
      collect(node.right, helps, uses);
      return;
    case '!':
      collect(node.arg, helps === undefined ? undefined : !helps, uses);
      return;
    case 'in':
      note(keysIn(node.right), helps, uses);
      return;
    case 'is':
      if (node.in !== undefined) note(keysIn(node.in), helps, uses);
      return;
    default:
      for (const inner of expressionsIn(expr)) collect(inner, undefined, uses);
  }
}

function note(keys: readonly string[], helps: boolean | undefined, uses: CollectedUses): void {
  for (const key of keys) {
    if (helps !== false) uses.helps.add(key);
    if (helps !== true) uses.harms.add(key);
  }
}

function keysIn(group: Expr): readonly string[] {
  const node = nodeOf(group);
  if (node.op === 'Set') return node.elements.flatMap(keysIn);
  if (node.op !== 'Value') return [ANYTHING];
  const values = Array.isArray(node.value) ? node.value : [node.value];
  return values.map(value => {
    const uid = entityOf(value);
    return uid === undefined ? ANYTHING : keyOf(uid);
  });
}

/** What an expression is made of; any object below it, whatever the operator. */
function expressionsIn(expr: Expr): readonly Expr[] {
  return Object.values(expr).flatMap((body: unknown) => {
    if (typeof body !== 'object' || body === null) return [];
    const members = Array.isArray(body) ? body : Object.values(body);
    return members.filter((one): one is Expr => typeof one === 'object' && one !== null && !Array.isArray(one));
  });
}
