/** What is known about a request before anybody sends it: the action, the resource, and the entities that are configured. */
import type { CatalogItem, VirtualMCPServerSpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import { type CedarValueJson, type EntityUid, keyOf } from './expression.ts';

export type Action = 'call_tool' | 'get_prompt' | 'read_resource';

/** What an action is done to: the name that clients see, or the URI, and what the catalog says about it. */
export interface Target {
  readonly name: string;
  readonly definition: CatalogItem;
}

export interface StaticEntity {
  readonly attrs: Readonly<Record<string, CedarValueJson>>;
  readonly parents: readonly EntityUid[];
}

/** Entities that `entitiesJson` gives, by `Type::"id"`. */
export type StaticEntities = ReadonlyMap<string, StaticEntity>;

export interface World {
  readonly action: Action;
  readonly resource: EntityUid;
  /** Of the resource, without the `arg_*` that come with a request. */
  readonly attrs: Readonly<Record<string, CedarValueJson>>;
  readonly parents: readonly EntityUid[];
  readonly entities: StaticEntities;
  /** Type of the entities that groups and roles of a caller become. */
  readonly groupType: string;
  /** Nobody signs in, so every caller is `Client::"anonymous"`, without claims and groups. */
  readonly isAnonymous: boolean;
  /** Every caller has `claim_sub`. */
  readonly hasSubject: boolean;
}

/** The facts about an action: the type of what it is done to, and how that is described to policies. */
export const ACTIONS = {
  call_tool: { type: 'Tool', naming: 'name', operation: 'call', feature: 'tool' },
  get_prompt: { type: 'Prompt', naming: 'name', operation: 'get', feature: 'prompt' },
  read_resource: { type: 'Resource', naming: 'uri', operation: 'read', feature: 'resource' },
} as const satisfies Readonly<Record<Action, object>>;

/** Annotations of a tool that policies can read; absent where the backend does not state them. */
export const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

export const ANONYMOUS: EntityUid = { type: 'Client', id: 'anonymous' };

/** The claim that makes the id of the caller. */
export const SUBJECT = 'claim_sub';

/** Tokens of upstream providers, which an embedded authorization server may let decide, need not have a subject. */
export function hasSubject({ spec }: Resource<VirtualMCPServerSpec>): boolean {
  return spec.incomingAuth.type === 'oidc' && spec.authServerConfig === undefined;
}

export function attributesOf(action: Action, { name, definition }: Target): Readonly<Record<string, CedarValueJson>> {
  const { naming, operation, feature } = ACTIONS[action];
  const common = { [naming]: name, operation, feature };
  if (action !== 'call_tool') return common;
  const annotations = (definition.annotations ?? {}) as Readonly<Record<string, unknown>>;
  const stated = HINTS.flatMap(hint => (typeof annotations[hint] === 'boolean' ? [[hint, annotations[hint]]] : []));
  return { ...common, ...Object.fromEntries(stated) };
}

/** Whether an entity is another one or below it. Entities that are nowhere described have no parents. */
export function isWithin(uid: EntityUid, ancestor: EntityUid, { resource, parents, entities }: World): boolean {
  const wanted = keyOf(ancestor);
  const own = keyOf(resource);
  const seen = new Set<string>();
  const left = [keyOf(uid)];
  for (let key = left.pop(); key !== undefined; key = left.pop()) {
    if (key === wanted) return true;
    if (seen.has(key)) continue;
    seen.add(key);
    for (const parent of entities.get(key)?.parents ?? []) left.push(keyOf(parent));
    if (key === own) for (const parent of parents) left.push(keyOf(parent));
  }
  return false;
}
