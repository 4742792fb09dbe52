/** What is known about a request before it is sent: the action, the resource, and the entities that are configured. */
import type { CatalogItem, CedarAction, EntityUid, VirtualMCPServerSpec } from '#schemas';
import { chosenIncomingAuth } from '../../resolve/chosen-incoming-auth.ts';
import type { Resource } from '../../resolve/inventory.ts';
import { type CedarValueJson, formatEntityUid } from './expression.ts';

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

export interface PartialRequest {
  readonly action: CedarAction;
  readonly resource: EntityUid;
  /** The attributes of the resource, without the `arg_*` that come with a request. */
  readonly attrs: Readonly<Record<string, CedarValueJson>>;
  readonly parents: readonly EntityUid[];
  readonly entities: StaticEntities;
  /** Type of the entities that groups and roles of a caller become. */
  readonly groupType: string;
  /** Callers do not sign in, so each of them is `Client::"anonymous"`, without claims and groups. */
  readonly isAnonymous: boolean;
  /** Every caller has `claim_sub`. */
  readonly hasSubject: boolean;
}

/** The claim that makes the id of the caller. */
export const SUBJECT = 'claim_sub';

/** A caller of whom the deciding token names no subject is denied before policies are asked. */
export function hasSubject({ spec }: Resource<VirtualMCPServerSpec>): boolean {
  return chosenIncomingAuth(spec).type !== 'anonymous';
}

/** Whether an entity is another one or below it. Entities that are nowhere described have no parents. */
export function isWithin(
  uid: EntityUid,
  ancestor: EntityUid,
  { resource, parents, entities }: PartialRequest,
): boolean {
  const wanted = formatEntityUid(ancestor);
  const own = formatEntityUid(resource);
  const seen = new Set<string>();
  const left = [formatEntityUid(uid)];
  for (let key = left.pop(); key !== undefined; key = left.pop()) {
    if (key === wanted) return true;
    if (seen.has(key)) continue;
    seen.add(key);
    for (const parent of entities.get(key)?.parents ?? []) left.push(formatEntityUid(parent));
    if (key === own) for (const parent of parents) left.push(formatEntityUid(parent));
  }
  return false;
}
