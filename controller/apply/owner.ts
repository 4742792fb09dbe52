/**
 * Sets the GatewaySource as owner of objects in its namespace, so that tools such as Argo CD show them below it. Only objects that no pod
 * depends on are owned: the garbage collector deletes owned objects and knows neither `prune` nor `suspend`.
 *
 * @see ../adr/0002-owner-references.md
 */
import { ACCEPTED_API_GROUPS, FIELD_MANAGER } from '#schemas';
import type { KubeObject, ObjectKey } from '../kube/types.ts';
import type { InventoryEntry } from '../status/index.ts';
import { mapApiError } from './api-error.ts';
import type { ApplyContext } from './apply-context.ts';
import { getApiGroup, toKeyOfEntry, toObjectKey } from './identity.ts';
import { PRUNE_ANNOTATION, readAnnotation, type SourceIdentity } from './source-labels.ts';

/** Kinds that get an owner reference. Only of Lintel's own API group: another controller acts on objects of other groups. */
export const OWNABLE_KINDS: readonly string[] = ['VirtualMCPServer', 'MCPRegistry'];

const SOURCE_KIND = 'GatewaySource';

interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Adds the owner reference to an object, if the source owns objects of its kind. */
export function withOwner(object: KubeObject, source: SourceIdentity): KubeObject {
  const { uid, kinds } = source.owns ?? {};
  if (uid === undefined || kinds?.includes(object.kind) !== true || !isOwnable(toObjectKey(object), source))
    return object;
  if (readAnnotation(object, PRUNE_ANNOTATION) === 'disabled') return object;
  const { apiVersion, metadata } = object;
  const reference: OwnerReference = { apiVersion, kind: SOURCE_KIND, name: source.name, uid };
  return { ...object, metadata: { ...metadata, ownerReferences: [...listReferences(object), reference] } };
}

/**
 * Removes the reference from objects that stay when their source is deleted or the repository drops them.
 * @throws ReconcileError
 */
export async function orphanObjects(
  on: ApplyContext,
  entries: readonly InventoryEntry[],
  signal: AbortSignal,
): Promise<void> {
  for (const key of entries.map(toKeyOfEntry)) {
    if (!isOwnable(key, on.source)) continue;
    const live = await mapApiError({ key }, on.client.get(key, signal));
    if (live !== undefined) await mapApiError({ key }, withoutOwner(on, live, signal));
  }
}

/** @throws KubeError */
export async function withoutOwner(on: ApplyContext, live: KubeObject, signal: AbortSignal): Promise<void> {
  const all = listReferences(live);
  // Owners must be in the same namespace.
  const isSource = ({ kind, name }: OwnerReference): boolean => kind === SOURCE_KIND && name === on.source.name;
  const others = all.filter(reference => !isSource(reference));
  if (others.length === all.length || !isOwnable(toObjectKey(live), on.source)) return;
  const { uid, resourceVersion } = live.metadata;
  // A merge patch replaces lists, so the resourceVersion protects against concurrent changes.
  const patch = { metadata: { uid, resourceVersion, ownerReferences: others } };
  await on.client.patch(toObjectKey(live), patch, { fieldManager: FIELD_MANAGER }, signal);
}

function isOwnable({ apiVersion, kind, namespace }: ObjectKey, source: SourceIdentity): boolean {
  return (
    getApiGroup(apiVersion) === ACCEPTED_API_GROUPS[0] && OWNABLE_KINDS.includes(kind) && namespace === source.namespace
  );
}

function listReferences({ metadata }: KubeObject): readonly OwnerReference[] {
  return (metadata.ownerReferences ?? []) as readonly OwnerReference[];
}
