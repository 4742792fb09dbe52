import type { ManifestSettings } from '#compiler';
import type { PrivateDenial } from '#schemas';

/** A request to the compiler. */
export interface CompileRequest {
  /** The source to compile, such as `namespace/name`; results are cached per source. */
  readonly key: string;
  /** Absolute root of the checkout; nothing outside of it is read. */
  readonly folder: string;
  /** Folder in the checkout, with forward slashes. */
  readonly path: string;
  /** The namespace of objects without one. */
  readonly defaultNamespace: string;
  /** The only allowed namespace, if the source restricts it. */
  readonly targetNamespace?: string | undefined;
  /** Cluster objects as texts by name (`cluster:Kind/namespace/name`). An object that the checkout has as well is taken from the checkout. */
  readonly clusterTexts: ReadonlyMap<string, string>;
  /** Whether the files of each gateway include `exposure.json`. */
  readonly withExposure: boolean;
  /**
   * Whether the files of each gateway include the bundle: not needed when the manifests contain the whole bundle, so that these files would duplicate
   * it. Default true.
   */
  readonly withBundleFiles?: boolean | undefined;
  /** Settings for manifests, besides the specs; undefined for none. */
  readonly manifests?: Omit<ManifestSettings, 'denial'> | undefined;
  /** Refuses private addresses, overriding the checkout. Undefined: its `lintel.yaml` and specs decide. */
  readonly denial?: PrivateDenial | undefined;
}
