/** What Cedar answers to one request, asked the way a gateway asks. */
import type { CedarValueJson, EntityJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { PolicySet } from './authorization.ts';
import { type EntityUid, keyOf, uidOf } from './expression.ts';
import { ANONYMOUS, type World } from './known-world.ts';
import { askCedar } from './load-cedar.ts';

export interface Caller {
  readonly sub: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly groups: readonly string[];
  /** Of the call. */
  readonly args?: Readonly<Record<string, unknown>>;
}

export type Decision = 'allow' | 'deny';

/** Denies on any error, as a gateway does. */
export function decide(set: PolicySet, caller: Caller, world: World): Decision {
  const principal = world.isAnonymous ? ANONYMOUS : { type: ANONYMOUS.type, id: caller.sub };
  const claims = world.isAnonymous ? {} : claimsOf({ ...caller.claims, sub: caller.sub }, set.source.multiValuedClaims);
  const args = argumentsOf(caller.args ?? {});
  const groups = world.isAnonymous ? [] : caller.groups.map(id => ({ type: world.groupType, id }));
  const entities = merged(set.writtenEntities, [
    { uid: principal, attrs: claims, parents: groups },
    ...groups.map(uid => ({ uid, attrs: {}, parents: [] })),
    { uid: world.resource, attrs: { ...world.attrs, ...args }, parents: [...world.parents] },
  ]);
  const answer = askCedar(cedar =>
    cedar.isAuthorized({
      principal,
      action: { type: 'Action', id: world.action },
      resource: world.resource,
      context: { ...claims, ...args },
      policies: { staticPolicies: Object.fromEntries(set.policies.map(({ id, text }) => [id, text])) },
      entities: [...entities],
    }),
  );
  if (answer?.type !== 'success' || answer.response.diagnostics.errors.length > 0) return 'deny';
  return answer.response.decision;
}

/** Entities of the spec and of the request; where both describe one, the request's attributes win and parents add up. */
function merged(written: readonly EntityJson[], ours: readonly EntityJson[]): Iterable<EntityJson> {
  const entities = new Map<string, EntityJson>();
  for (const one of [...written, ...ours]) {
    const uid: EntityUid = uidOf(one.uid);
    const known = entities.get(keyOf(uid));
    const attrs = { ...known?.attrs, ...one.attrs };
    entities.set(keyOf(uid), {
      ...known,
      ...one,
      uid: { ...uid },
      attrs,
      parents: [...(known?.parents ?? []), ...one.parents],
    });
  }
  return entities.values();
}

function claimsOf(
  claims: Readonly<Record<string, unknown>>,
  multiValued: readonly string[],
): Record<string, CedarValueJson> {
  const found: Record<string, CedarValueJson> = {};
  for (const [name, claim] of Object.entries(claims)) {
    const value = cedarValue(claim);
    if (value === undefined) continue;
    const isSet = multiValued.includes(name) && (typeof value === 'string' || Array.isArray(value));
    if (!isSet) found[`claim_${name}`] = value;
    else {
      const values = Array.isArray(value) ? value : (value as string).split(' ').filter(one => one !== '');
      found[`claim_${name}`] = values.join(' ');
      found[`claimset_${name}`] = values;
    }
  }
  return found;
}

/** Scalars as they are; of lists and objects only that they are there. */
function argumentsOf(args: Readonly<Record<string, unknown>>): Record<string, CedarValueJson> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, arg]): [string, CedarValueJson][] => {
      if (typeof arg === 'object' && arg !== null) return [[`arg_${name}_present`, true]];
      const value = cedarValue(arg);
      return value === undefined ? [] : [[`arg_${name}`, value]];
    }),
  );
}

/** Cedar knows no null, and no numbers with fractions but decimals of four digits. */
function cedarValue(value: unknown): CedarValueJson | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return value;
    return Math.abs(value) < 9e14 ? { __extn: { fn: 'decimal', arg: value.toFixed(4) } } : undefined;
  }
  if (Array.isArray(value)) return value.flatMap(one => cedarValue(one) ?? []);
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const inner = cedarValue(member);
      return inner === undefined ? [] : [[name, inner]];
    }),
  );
}
