/** The known part of a request before it is sent: the action, the resource, and the configured entities. */
import type { CatalogItem, VirtualMCPServerSpec } from '#schemas';
import type { CedarAction, EntityUid } from '#shared/plan';
import { chooseIncomingAuth } from '../../resolve/choose-incoming-auth.ts';
import type { Resource } from '../../resolve/inventory.ts';
import { type CedarValueJson, formatEntityUid } from './expression.ts';

/** The target of an action: the name that clients see, or the URI, and the hints that the catalog has. */
export interface RequestedItem {
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
  /** The attributes of the resource, without the `arg_*` attributes of a request. */
  readonly attrs: Readonly<Record<string, CedarValueJson>>;
  readonly parents: readonly EntityUid[];
  readonly entities: StaticEntities;
  /** Type of the entities that a caller's groups and roles become. */
  readonly groupType: string;
  /** Callers do not authenticate: each is `Client::"anonymous"`, without claims and groups. */
  readonly isAnonymous: boolean;
  /** Whether every caller has `claim_sub`. */
  readonly hasSubject: boolean;
}

/** The claim that becomes the caller's id. */
export const SUBJECT = 'claim_sub';

/** Whether every caller that policies see has a subject. The gateway denies a caller whose token has none before it evaluates policies. */
export function hasSubject({ spec }: Resource<VirtualMCPServerSpec>): boolean {
  return chooseIncomingAuth(spec).type !== 'anonymous';
}

/** Whether an entity equals another one or descends from it. An undescribed entity has no parents. */
export function isWithin(
  uid: EntityUid,
  ancestor: EntityUid,
  { resource, parents, entities }: PartialRequest,
): boolean {
  const ancestorUid = formatEntityUid(ancestor);
  const own = formatEntityUid(resource);
  const seen = new Set<string>();
  const remaining = [formatEntityUid(uid)];
  for (let key = remaining.pop(); key !== undefined; key = remaining.pop()) {
    if (key === ancestorUid) return true;
    if (seen.has(key)) continue;
    seen.add(key);
    for (const parent of entities.get(key)?.parents ?? []) remaining.push(formatEntityUid(parent));
    if (key === own) for (const parent of parents) remaining.push(formatEntityUid(parent));
  }
  return false;
}
