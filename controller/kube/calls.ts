/** Builds API calls: their paths and bodies. */
import { findResource, formatCollectionPath, formatKey, formatObjectPath } from './resource-path.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  KubeObject,
  ListOptions,
  ObjectKey,
  ObjectType,
  PatchOptions,
} from './types.ts';

/** Timeout of lists; milliseconds. */
const LIST_TIMEOUT_MS = 60_000;

/** The server ends a watch after a random time of one to two times this many seconds, so that watches do not all end at once. */
const WATCH_SECONDS = 300;

/** One call. */
export interface Call {
  /** For messages, such as `get Secret ns/name`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: { readonly [name: string]: string | undefined };
  readonly body?: unknown;
  readonly type?: string;
  /** Whether repeating the call has the same effect as making it once. */
  readonly isRepeatable: boolean;
  readonly timeoutMs?: number;
}

export function buildGet(key: ObjectKey): Call {
  return { name: `get ${formatKey(key)}`, method: 'GET', path: buildPath(key), isRepeatable: true };
}

/**
 * One page of a list.
 * @param page the continue token of the previous page
 */
export function buildList(
  type: ObjectType,
  { namespace, labelSelector, fieldSelector, limit }: ListOptions,
  page: string | undefined,
): Call {
  return {
    name: `list ${formatCollection(type, namespace)}`,
    method: 'GET',
    path: formatCollectionPath(type, namespace),
    query: { labelSelector, fieldSelector, limit: limit?.toString(), continue: page },
    isRepeatable: true,
    timeoutMs: LIST_TIMEOUT_MS,
  };
}

/**
 * The call that watches the objects of a type.
 * @param random between 0 and 1
 */
export function buildWatch(
  type: ObjectType,
  { namespace, labelSelector, fieldSelector, resourceVersion }: ListOptions & { readonly resourceVersion: string },
  random: number,
): Call {
  return {
    name: `watch ${formatCollection(type, namespace)}`,
    method: 'GET',
    path: formatCollectionPath(type, namespace),
    query: {
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion,
      labelSelector,
      fieldSelector,
      timeoutSeconds: String(Math.round(WATCH_SECONDS * (1 + random))),
    },
    isRepeatable: true,
  };
}

export function buildApply(object: KubeObject, { fieldManager, force, dryRun, subresource }: ApplyOptions): Call {
  const key = toKey(object);
  return {
    name: `${dryRun === true ? 'try to apply' : 'apply'} ${formatTarget(key, subresource)}`,
    method: 'PATCH',
    path: buildPath(key, subresource),
    query: { fieldManager, force: force === true ? 'true' : undefined, dryRun: dryRun === true ? 'All' : undefined },
    body: object,
    // The media type for YAML, of which JSON is a subset.
    type: 'application/apply-patch+yaml',
    isRepeatable: true,
  };
}

/** @throws TypeError for a namespaced object without a namespace */
export function buildCreate(object: KubeObject): Call {
  const { name, namespace } = object.metadata;
  if (namespace === undefined && findResource(object)?.isNamespaced === true)
    throw new TypeError(`${object.kind} ${name}: its namespace is not known`);
  return {
    name: `create ${formatKey(toKey(object))}`,
    method: 'POST',
    path: formatCollectionPath(object, namespace),
    body: object,
    isRepeatable: false,
  };
}

export function buildReplace(object: KubeObject, subresource: 'status' | undefined): Call {
  const key = toKey(object);
  return {
    name: `replace ${formatTarget(key, subresource)}`,
    method: 'PUT',
    path: buildPath(key, subresource),
    body: object,
    // A repeated creation would conflict with the first one.
    isRepeatable: false,
  };
}

export function buildPatch(key: ObjectKey, patch: object, { subresource, fieldManager, dryRun }: PatchOptions): Call {
  return {
    name: `${dryRun === true ? 'try to patch' : 'patch'} ${formatTarget(key, subresource)}`,
    method: 'PATCH',
    path: buildPath(key, subresource),
    query: { fieldManager, dryRun: dryRun === true ? 'All' : undefined },
    body: patch,
    type: 'application/merge-patch+json',
    isRepeatable: true,
  };
}

export function buildDelete(key: ObjectKey, { uid, propagation }: DeleteOptions): Call {
  return {
    name: `delete ${formatKey(key)}`,
    method: 'DELETE',
    path: buildPath(key),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    },
    isRepeatable: true,
  };
}

/** A document of the API server itself. */
export function buildRead(path: string): Call {
  return { name: `read ${path}`, method: 'GET', path, isRepeatable: true };
}

function toKey({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): ObjectKey {
  return { apiVersion, kind, namespace, name };
}

function buildPath(key: ObjectKey, subresource?: 'status'): string {
  return `${formatObjectPath(key, key.namespace, key.name)}${subresource === undefined ? '' : `/${subresource}`}`;
}

function formatTarget(key: ObjectKey, subresource: 'status' | undefined): string {
  return `${subresource === undefined ? '' : 'status of '}${formatKey(key)}`;
}

function formatCollection({ kind }: ObjectType, namespace: string | undefined): string {
  return `${kind}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
