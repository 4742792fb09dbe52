import type { ManifestSettings } from '#compiler';
import type { PrivateDenial } from '#schemas';

/** What is to be compiled. */
export interface CompileRequest {
  /** The source that is compiled, such as `namespace/name`: the compiler remembers the last compilation of each. */
  readonly key: string;
  /** Root of the tree, absolute; nothing outside of it is read. */
  readonly folder: string;
  /** Folder in the tree, with forward slashes. */
  readonly path: string;
  /** The namespace of objects that name none. */
  readonly defaultNamespace: string;
  /** The only one that objects may be in, where that was asked for. */
  readonly targetNamespace?: string | undefined;
  /** Objects of the cluster by name (`cluster:Kind/namespace/name`), as texts. Those that the tree has as well are left out. */
  readonly clusterTexts: ReadonlyMap<string, string>;
  /** Whether units carry `exposure.json` among their files. */
  readonly withExposure: boolean;
  /** False where the manifests have all of a bundle: its files would be all of it once more. Default true. */
  readonly withBundleFiles?: boolean | undefined;
  /** What manifests depend on besides the specs; undefined for none. */
  readonly manifests?: Omit<ManifestSettings, 'denial'> | undefined;
  /** That nothing private is connected to, whatever the tree says. Undefined: its `lintel.yaml` and specs decide. */
  readonly denial?: PrivateDenial | undefined;
}
