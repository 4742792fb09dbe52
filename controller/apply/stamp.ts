/**
 * What is written on every object that is applied: which source it is of, and a hash of what was asked for. Which objects a source has
 * is recorded in its inventory alone: labels and annotations get copied to objects that no source applied.
 */
import { canonicalJson, computeDigest, LABEL_DOMAIN, objectName } from '#schemas';
import type { KubeObject } from '../kube/types.ts';

/** `namespace/name` of the source; annotations have room for any name. */
export const SOURCE_ANNOTATION: string = `${LABEL_DOMAIN}/source`;

/** Tells a change of the repository from a change of the object. */
export const HASH_ANNOTATION: string = `${LABEL_DOMAIN}/desired-hash`;

/** For `kubectl get -l`, and for caches: the same in 63 characters, `namespace.name`. */
export const SOURCE_LABEL: string = `${LABEL_DOMAIN}/source`;

/** `disabled` on an object: it stays when the repository no longer has it. */
export const PRUNE_ANNOTATION: string = `${LABEL_DOMAIN}/prune`;

const MAX_LABEL_VALUE = 63;

export interface SourceIdentity {
  readonly namespace: string;
  readonly name: string;
  /** What it owns, see `owner.ts`; undefined for nothing. */
  readonly owns?: { readonly uid: string; readonly kinds: readonly string[] } | undefined;
}

export interface StampedObject {
  readonly object: KubeObject;
  /** The hash of all that was asked for. */
  readonly hash: string;
}

export function stamped(object: KubeObject, source: SourceIdentity): StampedObject {
  const { labels, annotations } = object.metadata;
  const metadata = {
    ...object.metadata,
    labels: { ...labels, [SOURCE_LABEL]: sourceLabel(source) },
    annotations: { ...annotations, [SOURCE_ANNOTATION]: sourceTitle(source) },
  };
  const hash = computeDigest(canonicalJson({ ...object, metadata }));
  return {
    object: { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [HASH_ANNOTATION]: hash } } },
    hash,
  };
}

export function sourceLabel({ namespace, name }: SourceIdentity): string {
  return objectName(`${namespace}.${name}`, MAX_LABEL_VALUE);
}

export function sourceTitle({ namespace, name }: SourceIdentity): string {
  return `${namespace}/${name}`;
}

export function readAnnotation(object: KubeObject, name: string): string | undefined {
  return object.metadata.annotations?.[name];
}

/** Whether an annotation is ours, and no news for people. */
export function isStamp(name: string): boolean {
  return name === HASH_ANNOTATION;
}
