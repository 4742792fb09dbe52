/**
 * Builds a request to Cedar: principal, action and resource, as policies see them. The compiler and the runtime both use it, so that the runtime
 * decides what the compiler proved before the merge.
 */
import type { CedarEntityPlan, CedarPlan } from '#schemas';
import type { CedarReads } from './cedar-reads.ts';

export type CedarAction = 'call_tool' | 'get_prompt' | 'read_resource';

/** For each action, the type of its resource and how policies see that resource. */
export const CEDAR_ACTIONS = {
  call_tool: { type: 'Tool', naming: 'name', operation: 'call', feature: 'tool' },
  get_prompt: { type: 'Prompt', naming: 'name', operation: 'get', feature: 'prompt' },
  read_resource: { type: 'Resource', naming: 'uri', operation: 'read', feature: 'resource' },
} as const satisfies Readonly<Record<CedarAction, object>>;

/** Tool annotations that policies can read; absent where the backend does not state them. */
export const TOOL_HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** An unauthenticated caller, without claims and groups. */
export const ANONYMOUS_PRINCIPAL: EntityUid = { type: 'Client', id: 'anonymous' };

export interface EntityUid {
  readonly type: string;
  readonly id: string;
}

/** A value in Cedar's JSON form. */
export type CedarValue = string | number | boolean | readonly CedarValue[] | { readonly [name: string]: CedarValue };

/** The caller of a request; undefined for an unauthenticated one. */
export interface CedarCaller {
  /** The `sub` of the caller's token. */
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** A tool, prompt or resource by the name that clients see. */
export interface CedarTarget {
  /** The name that clients see, or the URI. */
  readonly name: string;
  /** Annotations of a tool. */
  readonly annotations?: unknown;
}

/** The principal of a request: the same for every request of one caller. */
export interface CedarPrincipal {
  readonly uid: EntityUid;
  /** The attributes that policies read: `claim_*` and `claimset_*`. */
  readonly attrs: Readonly<Record<string, CedarValue>>;
  readonly groups: readonly EntityUid[];
}

export interface CedarRequest {
  readonly principal: EntityUid;
  readonly action: EntityUid;
  readonly resource: EntityUid;
  readonly context: Readonly<Record<string, CedarValue>>;
  readonly entities: readonly CedarEntityPlan[];
}

type ClaimRules = Pick<CedarPlan, 'groupType' | 'groupClaims' | 'roleClaim' | 'multiValuedClaims'>;

/**
 * The caller as policies see it.
 *
 * @param reads attributes that policies read; other claims are left out
 */
export function buildCedarPrincipal(
  caller: CedarCaller | undefined,
  rules: ClaimRules,
  reads: CedarReads,
): CedarPrincipal {
  if (caller === undefined) return { uid: ANONYMOUS_PRINCIPAL, attrs: {}, groups: [] };
  const { subject, claims } = caller;
  return {
    uid: { type: ANONYMOUS_PRINCIPAL.type, id: subject },
    attrs: toCedarClaims({ ...claims, sub: subject }, rules.multiValuedClaims, reads),
    groups: readGroups(claims, rules).map(id => ({ type: rules.groupType, id })),
  };
}

/** Groups and roles of a caller, each once. Only lists of strings count; a single string is ignored. */
export function readGroups(
  claims: Readonly<Record<string, unknown>>,
  { groupClaims, roleClaim }: Pick<CedarPlan, 'groupClaims' | 'roleClaim'>,
): readonly string[] {
  const groups = groupClaims.map(name => claimAt(claims, name)).find(value => value !== undefined);
  const roles = roleClaim === null ? undefined : claimAt(claims, roleClaim);
  return [...new Set([...listTexts(groups), ...listTexts(roles)])];
}

/** @param args arguments of a call; undefined when the request decides whether an item is listed */
export function buildCedarRequest(
  plan: Pick<CedarPlan, 'entities' | 'server'>,
  principal: CedarPrincipal,
  action: CedarAction,
  target: CedarTarget,
  args: Readonly<Record<string, unknown>> = {},
): CedarRequest {
  const { uid, attrs, groups } = principal;
  const argAttrs = toCedarArguments(args);
  const resource: EntityUid = { type: CEDAR_ACTIONS[action].type, id: target.name };
  const own: readonly CedarEntityPlan[] = [
    { uid, attrs, parents: groups },
    ...groups.map(group => ({ uid: group, attrs: {}, parents: [] })),
    {
      uid: resource,
      attrs: { ...buildCedarAttributes(action, target), ...argAttrs },
      parents: [{ type: 'MCP', id: plan.server }],
    },
  ];
  return {
    principal: uid,
    action: { type: 'Action', id: action },
    resource,
    context: { ...attrs, ...argAttrs },
    entities: mergeEntities(plan.entities, own),
  };
}

/** The attributes of a tool, prompt or resource that policies can read, without the arguments of a call. */
export function buildCedarAttributes(
  action: CedarAction,
  { name, annotations }: CedarTarget,
): Record<string, string | boolean> {
  const { naming, operation, feature } = CEDAR_ACTIONS[action];
  const common = { [naming]: name, operation, feature };
  if (action !== 'call_tool' || typeof annotations !== 'object' || annotations === null) return common;
  const stated = annotations as Readonly<Record<string, unknown>>;
  return {
    ...common,
    ...Object.fromEntries(
      TOOL_HINTS.flatMap(hint => (typeof stated[hint] === 'boolean' ? [[hint, stated[hint]]] : [])),
    ),
  };
}

/** Entities of the spec and of the request. Where both define one, the request's attributes win and the parents are merged. */
function mergeEntities(
  authoredEntities: readonly CedarEntityPlan[],
  own: readonly CedarEntityPlan[],
): readonly CedarEntityPlan[] {
  const entities = new Map<string, CedarEntityPlan>();
  for (const entity of [...authoredEntities, ...own]) {
    const key = `${entity.uid.type}::${JSON.stringify(entity.uid.id)}`;
    const known = entities.get(key);
    entities.set(key, {
      ...known,
      ...entity,
      attrs: { ...known?.attrs, ...entity.attrs },
      parents: [...(known?.parents ?? []), ...entity.parents],
    });
  }
  return [...entities.values()];
}

/** The exact name first, because names of claims may contain dots, such as `https://example.com/groups`. */
function claimAt(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

function listTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(element => typeof element === 'string') : [];
}

function toCedarClaims(
  claims: Readonly<Record<string, unknown>>,
  multiValued: readonly string[],
  reads: CedarReads,
): Record<string, CedarValue> {
  const found: Record<string, CedarValue> = {};
  for (const [name, claim] of Object.entries(claims)) {
    if (reads !== undefined && !reads.has(`claim_${name}`) && !reads.has(`claimset_${name}`)) continue;
    const value = toCedarValue(claim);
    if (value === undefined) continue;
    const isSet = multiValued.includes(name) && (typeof value === 'string' || Array.isArray(value));
    if (!isSet) found[`claim_${name}`] = value;
    else {
      const values = Array.isArray(value) ? value : (value as string).split(' ').filter(element => element !== '');
      found[`claim_${name}`] = values.join(' ');
      found[`claimset_${name}`] = values;
    }
  }
  return found;
}

/**
 * Arguments as policies see them: scalars by value; of lists and objects only that they are present. A scalar whose name looks like such a
 * presence attribute cannot replace it.
 */
export function toCedarArguments(args: Readonly<Record<string, unknown>>): Readonly<Record<string, CedarValue>> {
  const scalars: Record<string, CedarValue> = {};
  const marks: Record<string, true> = {};
  for (const [name, arg] of Object.entries(args)) {
    if (typeof arg === 'object' && arg !== null) marks[`arg_${name}_present`] = true;
    else {
      const value = toCedarValue(arg);
      if (value !== undefined) scalars[`arg_${name}`] = value;
    }
  }
  return { ...scalars, ...marks };
}

/** The greatest integer that Cedar can hold as a decimal: 64 bits with four digits after the point. */
const MAX_DECIMAL = 922_337_203_685_477;

/**
 * Whether Cedar gets a number exactly, apart from digits after the fourth of a fraction. Integers that a double cannot hold exactly, and
 * numbers beyond the range of decimals, are indistinguishable from other values.
 */
export function isKnownToCedar(value: number): boolean {
  return Number.isSafeInteger(value) || Math.abs(value) <= MAX_DECIMAL;
}

/**
 * Cedar has no null, and its only fractions are decimals with four digits. A number out of range becomes the greatest or least decimal: if it
 * were left out, policies would see the claim as missing. A call with such an argument is denied without asking Cedar.
 */
function toCedarValue(value: unknown): CedarValue | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return value;
    const clamped = Math.max(-MAX_DECIMAL, Math.min(value, MAX_DECIMAL));
    return { __extn: { fn: 'decimal', arg: clamped.toFixed(4) } };
  }
  if (Array.isArray(value)) return value.flatMap(element => toCedarValue(element) ?? []);
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const inner = ESCAPES.has(name) ? undefined : toCedarValue(member);
      return inner === undefined ? [] : [[name, inner]];
    }),
  );
}

/** Members that Cedar's JSON form reads as entities and extension values. Dropped, so that a claim cannot put the caller into a group. */
const ESCAPES: ReadonlySet<string> = new Set(['__entity', '__extn', '__expr']);
