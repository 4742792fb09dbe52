/** An object of a cluster as it is applied. */
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

/** A part of an object, of which nothing is known. */
export type Fields = { readonly [field: string]: unknown };
