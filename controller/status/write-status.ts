import { isDeepStrictEqual } from 'node:util';
import { STATUS_MANAGER } from '#schemas';
import { KubeError } from '../kube/kube-error.ts';
import type { KubeClient, KubeObject } from '../kube/types.ts';

/**
 * How a status was written: `gone` when the object was deleted meanwhile, or made again under its name; `stale` when it is another version
 * than the one that the status was composed from, with what is there now.
 */
export type StatusWriteResult =
  | { readonly outcome: 'unchanged' | 'written' | 'stale'; readonly object: KubeObject }
  | { readonly outcome: 'gone' };

export interface WriteOptions {
  /**
   * The part of a status, as it was read, that this controller writes: what other managers add is no reason to write. Default: all of it.
   */
  readonly ours?: (status: object) => object;
  /** Only onto the very version that was read: a status that is composed from an older one gives conditions another time. */
  readonly isExact?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Server-side apply of a whole status, only when it says something else than the object does. What we no longer set goes, and what
 * other managers set stays, such as conditions of their types.
 *
 * @param object - as it was read; its uid keeps the status from an object of the same name that was made meanwhile
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
    // About the uid, the version, or a race inside of the API server that passes.
    const now = await client.get({ apiVersion, kind, namespace, name }, signal);
    if (now === undefined || now.metadata.uid !== uid) return { outcome: 'gone' };
    if (isExact && now.metadata.resourceVersion !== resourceVersion) return { outcome: 'stale', object: now };
    throw error;
  }
}

/** How often a status is composed from a newer version of its object before others have their turn. */
const MAX_WRITES = 3;

/**
 * Composes a status and writes it onto the very version that it was composed from. A cache may lag behind what was written last: then the
 * write is refused, and the status is made from what is there.
 *
 * @param compose the status, and of a status that is read the part that is ours; called again for a newer version
 * @returns the status, with the version that it was composed from; undefined when the object is gone, or is written by others all the time
 * @throws KubeError
 */
export async function composeStatus<T extends object>(
  client: KubeClient,
  object: KubeObject,
  compose: (object: KubeObject) => { readonly status: T; readonly ours: (status: object) => object },
  signal: AbortSignal,
): Promise<{ readonly before: KubeObject; readonly status: T } | undefined> {
  let before = object;
  for (let left = MAX_WRITES; left > 0; left--) {
    const { status, ours } = compose(before);
    const written = await writeStatus(client, before, status, { ours, isExact: true, signal });
    if (written.outcome === 'gone') return undefined;
    if (written.outcome !== 'stale') return { before, status };
    before = written.object;
  }
  return undefined;
}

/** Whether two statuses read the same: a member that is undefined is absent, and lists keyed by a name or type have no order. */
export function areStatusesEqual(a: unknown, b: unknown): boolean {
  // Most are the same as they stand, and that costs the least to see.
  return isDeepStrictEqual(a, b) || isDeepStrictEqual(normal(a), normal(b));
}

function normal(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(normal);
    // Server-side apply merges these lists item by item, and older API servers put new ones at the end.
    return value.every(isKeyed) ? new Set(items) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, normal(member)]));
}

function isKeyed(item: unknown): boolean {
  return typeof item === 'object' && item !== null && ('name' in item || 'type' in item);
}
