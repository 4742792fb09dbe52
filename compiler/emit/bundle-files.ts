import {
  BUNDLE_FILE,
  BUNDLE_FORMAT_VERSION,
  type BundleIndex,
  canonicalJson,
  digestDirectory,
  digestOf,
  type GatewayBundle,
  INDEX_FILE,
  type RegistryBundle,
} from '#schemas';

/** One file of an output folder: a path relative to it, with forward slashes, and its bytes as UTF-8 text. */
export interface OutputFile {
  readonly path: string;
  readonly text: string;
}

export interface BundleOutput {
  readonly index: BundleIndex;
  /** The bundles first and the index last: whoever sees the index sees what it names. */
  readonly files: readonly OutputFile[];
}

interface Packed {
  readonly entry: BundleIndex['bundles'][number];
  readonly file: OutputFile;
}

const PACKED = new WeakMap<GatewayBundle | RegistryBundle, Packed>();

/** Once for each bundle: they never change, and a compiler that runs on gives the same ones again. */
function packedBundle(bundle: GatewayBundle | RegistryBundle): Packed {
  const known = PACKED.get(bundle);
  if (known !== undefined) return known;
  const text = canonicalJson(bundle);
  const digest = digestOf(text);
  const path = `bundles/${bundle.namespace}/${bundle.name}/${digestDirectory(digest)}`;
  const { kind, namespace, name } = bundle;
  const packed = { entry: { kind, namespace, name, digest, path }, file: { path: `${path}/${BUNDLE_FILE}`, text } };
  PACKED.set(bundle, packed);
  return packed;
}

/** The files of a build: one directory for each bundle, named by its digest, and the index. Same bundles, same bytes. */
export function bundleFiles(bundles: readonly (GatewayBundle | RegistryBundle)[]): BundleOutput {
  const packed = bundles.map(packedBundle);
  const index: BundleIndex = { formatVersion: BUNDLE_FORMAT_VERSION, bundles: packed.map(({ entry }) => entry) };
  const indexFile = { path: INDEX_FILE, text: `${JSON.stringify(index, null, 2)}\n` };
  return { index, files: [...packed.map(({ file }) => file), indexFile] };
}
