/** Cluster objects in wire format, and the controller's calls. */

/** `metadata` of an object; members that are not listed here are kept unchanged. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFields[];
  readonly [field: string]: unknown;
}

/** Who set which fields (server-side apply). */
export interface ManagedFields {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: string;
  readonly fieldsV1?: object;
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** A type of objects. */
export interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
}

/** An object's identity; without a namespace for a cluster-scoped object. */
export interface ObjectKey extends ObjectType {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface ListOptions {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects per page; the client requests further pages itself. */
  readonly limit?: number | undefined;
}

export interface ObjectList {
  readonly items: readonly KubeObject[];
  /** The resourceVersion from which a watch continues. */
  readonly resourceVersion: string;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  /** Whether to take over fields that other managers set. */
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly subresource?: 'status';
}

export interface PatchOptions {
  readonly subresource?: 'status';
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
}

export interface DeleteOptions {
  /** Deletes the object only if it has this uid: another object of the same name stays (409). */
  readonly uid?: string;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: { readonly code?: number; readonly message?: string } };

/** Every call throws a `KubeError` when the API server refuses or is unreachable, and the reason of an aborted signal. */
export interface KubeClient {
  /** The object; undefined when it does not exist. */
  get(key: ObjectKey, signal?: AbortSignal): Promise<KubeObject | undefined>;
  list(type: ObjectType, options?: ListOptions, signal?: AbortSignal): Promise<ObjectList>;
  /** Follows changes until the server ends the watch; requests bookmarks. */
  watch(
    type: ObjectType,
    options: ListOptions & { readonly resourceVersion: string },
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent>;
  /** Server-side apply. */
  apply(object: KubeObject, options: ApplyOptions, signal?: AbortSignal): Promise<KubeObject>;
  create(object: KubeObject, signal?: AbortSignal): Promise<KubeObject>;
  /** Replaces the whole object. Fails with 409 when the given `metadata.resourceVersion` is not the newest. */
  replace(object: KubeObject, options?: { readonly subresource?: 'status' }, signal?: AbortSignal): Promise<KubeObject>;
  /** JSON merge patch (RFC 7386). */
  patch(key: ObjectKey, patch: object, options?: PatchOptions, signal?: AbortSignal): Promise<KubeObject>;
  /** Deletes an object. True when the object existed. */
  delete(key: ObjectKey, options?: DeleteOptions, signal?: AbortSignal): Promise<boolean>;
  /** The same client with a ServiceAccount's identity. */
  as(serviceAccount: { readonly namespace: string; readonly name: string }): KubeClient;
}

/** The cached objects of a type, which readers must not modify. */
export interface ObjectCache {
  get(namespace: string | undefined, name: string): KubeObject | undefined;
  list(namespace?: string): readonly KubeObject[];
  /** Called after every change with the previous object. Returns a function to unsubscribe. */
  onChange(listener: (now: KubeObject | undefined, before: KubeObject | undefined) => void): () => void;
  /** Resolves after the first list. */
  readonly synced: Promise<void>;
}
