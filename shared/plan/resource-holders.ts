import { compareText } from '#schemas';

/** The URIs, or URI templates, that one backend offers, in its order. */
export interface BackendUris {
  readonly backend: string;
  readonly uris: readonly string[];
}

export interface ResourceHolders {
  /** The backend that serves each URI. */
  readonly holders: ReadonlyMap<string, string>;
  /** Backends whose URI another backend serves. */
  readonly shadowed: readonly { readonly backend: string; readonly uri: string }[];
}

/** URIs are never changed. When several backends offer the same URI, the first one by name serves it, and those of the others are shadowed. */
export function resolveResourceHolders(offered: readonly BackendUris[]): ResourceHolders {
  const holders = new Map<string, string>();
  const shadowed: { backend: string; uri: string }[] = [];
  for (const { backend, uris } of offered.toSorted((a, b) => compareText(a.backend, b.backend))) {
    for (const uri of uris) {
      if (holders.has(uri)) shadowed.push({ backend, uri });
      else holders.set(uri, backend);
    }
  }
  return { holders, shadowed };
}
