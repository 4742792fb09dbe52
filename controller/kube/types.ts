/** Objects of the cluster as they come over the wire, and the calls that the controller makes. */

/** `metadata` of an object; what is not listed is kept as it is. */
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

/** One object. Without a namespace for what belongs to none. */
export interface ObjectKey extends ObjectType {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface ListOptions {
  /** All namespaces when not given. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects of one page; the client asks for the following pages itself. */
  readonly limit?: number | undefined;
}

export interface ObjectList {
  readonly items: readonly KubeObject[];
  /** Where a watch goes on from. */
  readonly resourceVersion: string;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  /** Take fields over that others manage. */
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
  /** Nothing else of the same name is deleted (409 then). */
  readonly uid?: string;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: { readonly code?: number; readonly message?: string } };

/** Every call ends with a `KubeError` when the API server refuses or cannot be reached, and with the reason of an aborted signal. */
export interface KubeClient {
  /** Undefined when there is none. */
  get(key: ObjectKey, signal?: AbortSignal): Promise<KubeObject | undefined>;
  list(type: ObjectType, options?: ListOptions, signal?: AbortSignal): Promise<ObjectList>;
  /** Ends when the server ends it; asks for bookmarks. */
  watch(
    type: ObjectType,
    options: ListOptions & { readonly resourceVersion: string },
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent>;
  /** Server-side apply. */
  apply(object: KubeObject, options: ApplyOptions, signal?: AbortSignal): Promise<KubeObject>;
  create(object: KubeObject, signal?: AbortSignal): Promise<KubeObject>;
  /** Fails with 409 when `metadata.resourceVersion` is given and not the newest. */
  replace(object: KubeObject, options?: { readonly subresource?: 'status' }, signal?: AbortSignal): Promise<KubeObject>;
  /** JSON merge patch (RFC 7386). */
  patch(key: ObjectKey, patch: object, options?: PatchOptions, signal?: AbortSignal): Promise<KubeObject>;
  /** True when it was there. */
  delete(key: ObjectKey, options?: DeleteOptions, signal?: AbortSignal): Promise<boolean>;
  /** The same client in the name of a ServiceAccount. */
  as(serviceAccount: { readonly namespace: string; readonly name: string }): KubeClient;
}

/** The cached objects of a type: read them, never write into them. */
export interface ObjectCache {
  get(namespace: string | undefined, name: string): KubeObject | undefined;
  list(namespace?: string): readonly KubeObject[];
  /** Called after every change, with what was there before. Returns how to stop. */
  onChange(listener: (now: KubeObject | undefined, before: KubeObject | undefined) => void): () => void;
  /** Resolves when the first list is in. */
  readonly synced: Promise<void>;
}
