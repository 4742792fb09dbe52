/**
 * Metadata on every applied object: its source, and a hash of the desired object. Only the inventory decides which objects a source has, because
 * labels and annotations get copied to other objects.
 */
import { computeDigest, formatCanonicalJson, LABEL_DOMAIN, toObjectName } from '#schemas';
import type { KubeObject } from '../kube/types.ts';

/** `namespace/name` of the source; annotations can hold any name. */
export const SOURCE_ANNOTATION: string = `${LABEL_DOMAIN}/source`;

/** The hash of the object as the repository defines it: tells a change of the repository from a change of the object in the cluster. */
export const HASH_ANNOTATION: string = `${LABEL_DOMAIN}/desired-hash`;

/** For `kubectl get -l` and for caches: `namespace.name`, shortened to 63 characters. */
export const SOURCE_LABEL: string = `${LABEL_DOMAIN}/source`;

/** `disabled` on an object: it is not deleted when the repository drops it. */
export const PRUNE_ANNOTATION: string = `${LABEL_DOMAIN}/prune`;

const MAX_LABEL_VALUE = 63;

export interface SourceIdentity {
  readonly namespace: string;
  readonly name: string;
  /** The owner reference, see `owner.ts`; undefined for none. */
  readonly owns?: { readonly uid: string; readonly kinds: readonly string[] } | undefined;
}

export interface LabelledObject {
  readonly object: KubeObject;
  /** The hash of the desired object. */
  readonly hash: string;
}

export function withSourceLabels(object: KubeObject, source: SourceIdentity): LabelledObject {
  const { labels, annotations } = object.metadata;
  const metadata = {
    ...object.metadata,
    labels: { ...labels, [SOURCE_LABEL]: formatSourceLabel(source) },
    annotations: { ...annotations, [SOURCE_ANNOTATION]: formatSourceTitle(source) },
  };
  const hash = computeDigest(formatCanonicalJson({ ...object, metadata }));
  return {
    object: { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [HASH_ANNOTATION]: hash } } },
    hash,
  };
}

export function formatSourceLabel({ namespace, name }: SourceIdentity): string {
  return toObjectName(`${namespace}.${name}`, MAX_LABEL_VALUE);
}

export function formatSourceTitle({ namespace, name }: SourceIdentity): string {
  return `${namespace}/${name}`;
}

export function readAnnotation(object: KubeObject, name: string): string | undefined {
  return object.metadata.annotations?.[name];
}

/** Whether an annotation is one that the controller itself sets, which people need not see. */
export function isOwnershipLabel(name: string): boolean {
  return name === HASH_ANNOTATION;
}
