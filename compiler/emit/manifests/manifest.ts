import type { AddedMetadata } from '#schemas';

/** A Kubernetes object to apply. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: { readonly [label: string]: string };
    readonly annotations?: { readonly [key: string]: string };
  };
  readonly [field: string]: unknown;
}

/** A part of an object, of unknown form. */
export type ManifestFields = { readonly [field: string]: unknown };

/** Labels and annotations of an object; added labels do not override Lintel's own. */
export function buildMetadata(
  labels: Manifest['metadata']['labels'],
  added: AddedMetadata | undefined,
  annotations: { readonly [key: string]: string } = {},
): Pick<Manifest['metadata'], 'labels' | 'annotations'> {
  const all = { ...added?.annotations, ...annotations };
  return {
    labels: { ...added?.labels, ...labels },
    ...(Object.keys(all).length === 0 ? {} : { annotations: all }),
  };
}
