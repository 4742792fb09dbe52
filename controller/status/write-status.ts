import { isDeepStrictEqual } from 'node:util';
import { STATUS_MANAGER } from '#schemas';
import { KubeError } from '../kube/kube-error.ts';
import type { KubeClient, KubeObject } from '../kube/types.ts';

/**
 * The result of a write: `gone` when the object was deleted or recreated meanwhile; `stale` when its version differs from the one that the
 * status was computed from, with the current object.
 */
export type StatusWriteResult =
  | { readonly outcome: 'unchanged' | 'written' | 'stale'; readonly object: KubeObject }
  | { readonly outcome: 'gone' };

export interface WriteOptions {
  /**
   * Selects the fields of a current status that this controller writes: additions of other managers then cause no write. Default: the whole status.
   */
  readonly ours?: (status: object) => object;
  /** Whether to write only if the version is unchanged: a status computed from an older version would have wrong transition times. */
  readonly isExact?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Applies a whole status with server-side apply, if it differs from the object's. Fields that the controller no longer sets are removed; fields
 * of other managers, such as their condition types, stay.
 *
 * @param object - as it was read; its uid prevents a write to a recreated object of the same name
 * @throws KubeError
 */
export async function writeStatus(
  client: KubeClient,
  object: KubeObject,
  status: object,
  { ours = all => all, isExact = false, signal }: WriteOptions = {},
): Promise<StatusWriteResult> {
  if (areStatusesEqual(ours((object.status ?? {}) as object), status)) return { outcome: 'unchanged', object };
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  const desired: KubeObject = {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(isExact && resourceVersion !== undefined && { resourceVersion }),
    },
    status,
  };
  const options = { fieldManager: STATUS_MANAGER, force: true, subresource: 'status' } as const;
  try {
    return { outcome: 'written', object: await client.apply(desired, options, signal) };
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.failure === 'notFound' && !error.isUnserved) return { outcome: 'gone' };
    if (error.failure !== 'conflict') throw error;
    // The refusal is about the uid, the version, or a transient race inside of the API server: the current object tells which.
    const now = await client.get({ apiVersion, kind, namespace, name }, signal);
    if (now === undefined || now.metadata.uid !== uid) return { outcome: 'gone' };
    if (isExact && now.metadata.resourceVersion !== resourceVersion) return { outcome: 'stale', object: now };
    throw error;
  }
}

/** How often a status is recomputed for a newer version before other objects get their turn. */
const MAX_WRITES = 3;

/**
 * Computes a status and writes it to the version that it was computed from. A cache may lag behind the last write: then the write is refused,
 * and the status is recomputed from the current object.
 *
 * @param compose computes the status, and the controller's part of the current one; called again for a newer version
 * @returns the status, with the version that it was computed from; undefined when the object is gone, or others keep writing it
 * @throws KubeError
 */
export async function composeStatus<T extends object>(
  client: KubeClient,
  object: KubeObject,
  compose: (object: KubeObject) => { readonly status: T; readonly ours: (status: object) => object },
  signal: AbortSignal,
): Promise<{ readonly before: KubeObject; readonly status: T } | undefined> {
  let before = object;
  for (let remaining = MAX_WRITES; remaining > 0; remaining--) {
    const { status, ours } = compose(before);
    const writeResult = await writeStatus(client, before, status, { ours, isExact: true, signal });
    if (writeResult.outcome === 'gone') return undefined;
    if (writeResult.outcome !== 'stale') return { before, status };
    before = writeResult.object;
  }
  return undefined;
}

/** Whether two statuses are equal: undefined members count as absent, and lists with a name or type key are unordered. */
export function areStatusesEqual(a: unknown, b: unknown): boolean {
  // Most statuses are literally equal, and that is the cheapest check.
  return isDeepStrictEqual(a, b) || isDeepStrictEqual(normalizeValue(a), normalizeValue(b));
}

function normalizeValue(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(normalizeValue);
    // Server-side apply merges these lists by item, and older API servers append new items.
    return value.every(isKeyed) ? new Set(items) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, normalizeValue(member)]));
}

function isKeyed(item: unknown): boolean {
  return typeof item === 'object' && item !== null && ('name' in item || 'type' in item);
}
