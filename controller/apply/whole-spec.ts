/**
 * Makes the source the only writer of a Lintel custom resource's spec. Server-side apply keeps fields that others add, which is right for a
 * Deployment, to which autoscalers and meshes write, and wrong here: `kubectl get` would show an added policy or filter as if it were active,
 * although it was not reviewed and no pod serves it.
 */
import { isDeepStrictEqual } from 'node:util';
import { ACCEPTED_API_GROUPS, FIELD_MANAGER, isObject, KINDS_FILE } from '#schemas';
import { KubeError } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/types.ts';
import type { ApplyContext } from './apply-context.ts';
import { findAppliedFields, type ManagedFieldTree } from './fields.ts';
import { getApiGroup, toObjectKey } from './identity.ts';

export function ownsWholeSpec({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return ACCEPTED_API_GROUPS.includes(getApiGroup(apiVersion)) && kind in KINDS_FILE;
}

/** The fields that must stay as applied; undefined when the object has no managed fields. */
export function findOwnFields(object: KubeObject): ManagedFieldTree | undefined {
  const applied = findAppliedFields(object, FIELD_MANAGER);
  return applied !== undefined && ownsWholeSpec(object) ? { ...applied, 'f:spec': {} } : applied;
}

/**
 * Applies an object. Afterwards the spec of a custom resource has exactly the desired fields and the API server's additions. Only a dry run
 * shows defaults and changes by admission, unless they are known (`expected`).
 *
 * @param live the current object; undefined to create it
 * @param expected the spec from an earlier dry run
 * @throws KubeError
 */
export async function applyWhole(
  on: ApplyContext,
  desired: KubeObject,
  live: KubeObject | undefined,
  { isDryRun = false, expected }: { readonly isDryRun?: boolean; readonly expected?: unknown },
  signal: AbortSignal,
): Promise<KubeObject> {
  const apply = (): Promise<KubeObject> =>
    on.client.apply(desired, { fieldManager: FIELD_MANAGER, force: true, dryRun: isDryRun }, signal);
  if (live === undefined || !ownsWholeSpec(desired)) return await apply();
  const replaceSpec = async (object: KubeObject): Promise<KubeObject> => {
    const spec = mergePatch(object.spec, desired.spec);
    if (spec === undefined || isDeepStrictEqual(object.spec, expected)) return object;
    // With the uid, the patch fails if another object has taken the name.
    const patch = { metadata: { uid: object.metadata.uid }, spec };
    return await on.client.patch(toObjectKey(object), patch, { fieldManager: FIELD_MANAGER, dryRun: isDryRun }, signal);
  };
  try {
    const applied = await apply();
    // A dry run changes nothing, so the next attempt starts from the current object.
    return isDryRun ? withSpec(applied, (await replaceSpec(live)).spec) : await replaceSpec(applied);
  } catch (error) {
    // Fields that other clients set may conflict with the desired fields: the fields of the other clients have to be removed first.
    const isRefused = error instanceof KubeError && error.failure === 'invalid';
    if (!isRefused || mergePatch(live.spec, desired.spec) === undefined) throw error;
    const replaced = await replaceSpec(live);
    return isDryRun ? replaced : await replaceSpec(await apply());
  }
}

export function withSpec({ spec: _, ...others }: KubeObject, spec: unknown): KubeObject {
  return (spec === undefined ? others : { ...others, spec }) as KubeObject;
}

/**
 * The JSON merge patch (RFC 7386) from one value to another; undefined when they are equal. Null in `desired` counts as missing, as for the API
 * server.
 */
export function mergePatch(now: unknown, desired: unknown): unknown {
  if (isDeepStrictEqual(now, desired)) return undefined;
  if (!isObject(now) || !isObject(desired)) return desired ?? null;
  const patch: { [name: string]: unknown } = {};
  for (const name of new Set([...Object.keys(now), ...Object.keys(desired)])) {
    const isGone = desired[name] === undefined || desired[name] === null;
    if (!isGone) patch[name] = mergePatch(now[name], desired[name]);
    else if (name in now) patch[name] = null;
    if (patch[name] === undefined) delete patch[name];
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
