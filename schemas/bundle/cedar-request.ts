/**
 * One request to Cedar: who does what to which thing, as policies see it. Compiler and runtime both ask with what is built
 * here, so that what was proved before merge is what is decided.
 */
import type { CedarEntityPlan, CedarPlan } from './authorization.ts';
import type { CedarReads } from './cedar-reads.ts';

export type CedarAction = 'call_tool' | 'get_prompt' | 'read_resource';

/** The facts about an action: the type of what it is done to, and how that is described to policies. */
export const CEDAR_ACTIONS = {
  call_tool: { type: 'Tool', naming: 'name', operation: 'call', feature: 'tool' },
  get_prompt: { type: 'Prompt', naming: 'name', operation: 'get', feature: 'prompt' },
  read_resource: { type: 'Resource', naming: 'uri', operation: 'read', feature: 'resource' },
} as const satisfies Readonly<Record<CedarAction, object>>;

/** Annotations of a tool that policies can read; absent where the backend does not state them. */
export const TOOL_HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** An unauthenticated caller: without claims and groups. */
export const ANONYMOUS_PRINCIPAL: EntityUid = { type: 'Client', id: 'anonymous' };

export interface EntityUid {
  readonly type: string;
  readonly id: string;
}

/** A value in Cedar's JSON form. */
export type CedarValue = string | number | boolean | readonly CedarValue[] | { readonly [name: string]: CedarValue };

/** Who calls; undefined stands for an unauthenticated caller. */
export interface CedarCaller {
  /** `sub` of the token. */
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** A tool, prompt or resource as clients know it. */
export interface CedarTarget {
  /** The name that clients see, or the URI. */
  readonly name: string;
  /** Annotations of a tool. */
  readonly annotations?: unknown;
}

/** The part of a request that is the same for everything one caller does. */
export interface CedarPrincipal {
  readonly uid: EntityUid;
  /** `claim_*` and `claimset_*`. */
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
 * @param reads what they look at; other claims are left out
 */
export function cedarPrincipal(caller: CedarCaller | undefined, rules: ClaimRules, reads: CedarReads): CedarPrincipal {
  if (caller === undefined) return { uid: ANONYMOUS_PRINCIPAL, attrs: {}, groups: [] };
  const { subject, claims } = caller;
  return {
    uid: { type: ANONYMOUS_PRINCIPAL.type, id: subject },
    attrs: toCedarClaims({ ...claims, sub: subject }, rules.multiValuedClaims, reads),
    groups: readGroups(claims, rules).map(id => ({ type: rules.groupType, id })),
  };
}

/**
 * Groups and roles of a caller, each once. Only lists of text count: a single text is no list, whatever it holds.
 */
export function readGroups(
  claims: Readonly<Record<string, unknown>>,
  { groupClaims, roleClaim }: Pick<CedarPlan, 'groupClaims' | 'roleClaim'>,
): readonly string[] {
  const groups = groupClaims.map(name => claimAt(claims, name)).find(value => value !== undefined);
  const roles = roleClaim === null ? undefined : claimAt(claims, roleClaim);
  return [...new Set([...listTexts(groups), ...listTexts(roles)])];
}

/** @param args of a call; what a list shows is decided without */
export function cedarRequest(
  plan: Pick<CedarPlan, 'entities' | 'server'>,
  principal: CedarPrincipal,
  action: CedarAction,
  target: CedarTarget,
  args: Readonly<Record<string, unknown>> = {},
): CedarRequest {
  const { uid, attrs, groups } = principal;
  const argAttrs = cedarArguments(args);
  const resource: EntityUid = { type: CEDAR_ACTIONS[action].type, id: target.name };
  const own: readonly CedarEntityPlan[] = [
    { uid, attrs, parents: groups },
    ...groups.map(group => ({ uid: group, attrs: {}, parents: [] })),
    {
      uid: resource,
      attrs: { ...cedarAttributes(action, target), ...argAttrs },
      parents: [{ type: 'MCP', id: plan.server }],
    },
  ];
  return {
    principal: uid,
    action: { type: 'Action', id: action },
    resource,
    context: { ...attrs, ...argAttrs },
    entities: mergedEntities(plan.entities, own),
  };
}

/** What policies can read of a tool, prompt or resource, without the arguments of a call. */
export function cedarAttributes(
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

/** Entities of the spec and of the request; where both describe one, the request's attributes win and parents add up. */
function mergedEntities(
  written: readonly CedarEntityPlan[],
  own: readonly CedarEntityPlan[],
): readonly CedarEntityPlan[] {
  const entities = new Map<string, CedarEntityPlan>();
  for (const one of [...written, ...own]) {
    const key = `${one.uid.type}::${JSON.stringify(one.uid.id)}`;
    const known = entities.get(key);
    entities.set(key, {
      ...known,
      ...one,
      attrs: { ...known?.attrs, ...one.attrs },
      parents: [...(known?.parents ?? []), ...one.parents],
    });
  }
  return [...entities.values()];
}

/** Exact name first: names of claims may have dots of their own, such as `https://example.com/groups`. */
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
  return Array.isArray(value) ? value.filter(one => typeof one === 'string') : [];
}

function toCedarClaims(
  claims: Readonly<Record<string, unknown>>,
  multiValued: readonly string[],
  reads: CedarReads,
): Record<string, CedarValue> {
  const found: Record<string, CedarValue> = {};
  for (const [name, claim] of Object.entries(claims)) {
    if (reads !== undefined && !reads.has(`claim_${name}`) && !reads.has(`claimset_${name}`)) continue;
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

/**
 * Arguments as policies see them: scalars as they are; of lists and objects only that they are there, and no scalar can be named so
 * as to hide that.
 */
export function cedarArguments(args: Readonly<Record<string, unknown>>): Readonly<Record<string, CedarValue>> {
  const scalars: Record<string, CedarValue> = {};
  const marks: Record<string, true> = {};
  for (const [name, arg] of Object.entries(args)) {
    if (typeof arg === 'object' && arg !== null) marks[`arg_${name}_present`] = true;
    else {
      const value = cedarValue(arg);
      if (value !== undefined) scalars[`arg_${name}`] = value;
    }
  }
  return { ...scalars, ...marks };
}

/** The greatest whole number that Cedar has as a decimal: 64 bits, four digits behind the point. */
const MAX_DECIMAL = 922_337_203_685_477;

/**
 * Whether Cedar gets a number as it is, but for digits behind the fourth of a fraction. Of whole numbers beyond those that a double holds one
 * by one, and of all beyond its decimals, many become one value.
 */
export function isKnownToCedar(value: number): boolean {
  return Number.isSafeInteger(value) || Math.abs(value) <= MAX_DECIMAL;
}

/**
 * Cedar knows no null, and no numbers with fractions but decimals of four digits. What is beyond becomes the last decimal
 * on that side: left out, a claim would pass as one that is missing. A call with such an argument is denied without asking Cedar.
 */
function cedarValue(value: unknown): CedarValue | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return value;
    const held = Math.max(-MAX_DECIMAL, Math.min(value, MAX_DECIMAL));
    return { __extn: { fn: 'decimal', arg: held.toFixed(4) } };
  }
  if (Array.isArray(value)) return value.flatMap(one => cedarValue(one) ?? []);
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const inner = ESCAPES.has(name) ? undefined : cedarValue(member);
      return inner === undefined ? [] : [[name, inner]];
    }),
  );
}

/** Members by which Cedar's JSON form escapes to entities and extensions: a claim must not become a member of a group by them. */
const ESCAPES: ReadonlySet<string> = new Set(['__entity', '__extn', '__expr']);
