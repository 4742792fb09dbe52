/**
 * The spec of a custom resource of ours is the source's as a whole. Server-side apply leaves alone what others add, which is right for a
 * Deployment (autoscalers and meshes write there) and wrong here: an added policy or filter would be shown by `kubectl get` as if it were
 * in force, though it was not reviewed and no pod serves it.
 */
import { isDeepStrictEqual } from 'node:util';
import { ACCEPTED_API_GROUPS, FIELD_MANAGER, isObject, KINDS_FILE } from '#schemas';
import { KubeError } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/types.ts';
import type { ApplyContext } from './apply-context.ts';
import { type Fields, findAppliedFields } from './fields.ts';
import { apiGroup, objectKey } from './identity.ts';

export function ownsWholeSpec({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return ACCEPTED_API_GROUPS.includes(apiGroup(apiVersion)) && kind in KINDS_FILE;
}

/** Where an object has to stay as it was applied; undefined when it does not say who manages what. */
export function ourFields(object: KubeObject): Fields | undefined {
  const applied = findAppliedFields(object, FIELD_MANAGER);
  return applied !== undefined && ownsWholeSpec(object) ? { ...applied, 'f:spec': {} } : applied;
}

/**
 * Applies an object. Afterwards the spec of a custom resource holds the desired fields and what the API server adds to them, and nothing
 * else. Only the API server knows its defaults and what admission adds, so it is asked, unless it is known (`expected`).
 *
 * @param live what is there; undefined to create it
 * @param expected the spec that a try of the same gave
 * @throws KubeError
 */
export async function applyWhole(
  on: ApplyContext,
  wanted: KubeObject,
  live: KubeObject | undefined,
  { isDryRun = false, expected }: { readonly isDryRun?: boolean; readonly expected?: unknown },
  signal: AbortSignal,
): Promise<KubeObject> {
  const apply = (): Promise<KubeObject> =>
    on.client.apply(wanted, { fieldManager: FIELD_MANAGER, force: true, dryRun: isDryRun }, signal);
  if (live === undefined || !ownsWholeSpec(wanted)) return await apply();
  const replaceSpec = async (object: KubeObject): Promise<KubeObject> => {
    const spec = mergePatch(object.spec, wanted.spec);
    if (spec === undefined || isDeepStrictEqual(object.spec, expected)) return object;
    // With the uid it fails where another object has taken the name.
    const patch = { metadata: { uid: object.metadata.uid }, spec };
    return await on.client.patch(objectKey(object), patch, { fieldManager: FIELD_MANAGER, dryRun: isDryRun }, signal);
  };
  try {
    const applied = await apply();
    // What is tried changes nothing, so that the next try begins with what is there.
    return isDryRun ? withSpec(applied, (await replaceSpec(live)).spec) : await replaceSpec(applied);
  } catch (error) {
    // What others added may not go together with what is wanted: it has to leave first.
    const isRefused = error instanceof KubeError && error.failure === 'invalid';
    if (!isRefused || mergePatch(live.spec, wanted.spec) === undefined) throw error;
    const replaced = await replaceSpec(live);
    return isDryRun ? replaced : await replaceSpec(await apply());
  }
}

export function withSpec({ spec: _, ...others }: KubeObject, spec: unknown): KubeObject {
  return (spec === undefined ? others : { ...others, spec }) as KubeObject;
}

/**
 * What turns one value into another, as a JSON merge patch (RFC 7386); undefined when there is nothing to do. Null in `wanted` is no value,
 * as for the API server.
 */
export function mergePatch(now: unknown, wanted: unknown): unknown {
  if (isDeepStrictEqual(now, wanted)) return undefined;
  if (!isObject(now) || !isObject(wanted)) return wanted ?? null;
  const patch: { [name: string]: unknown } = {};
  for (const name of new Set([...Object.keys(now), ...Object.keys(wanted)])) {
    const isGone = wanted[name] === undefined || wanted[name] === null;
    if (!isGone) patch[name] = mergePatch(now[name], wanted[name]);
    else if (name in now) patch[name] = null;
    if (patch[name] === undefined) delete patch[name];
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
