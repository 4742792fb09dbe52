import {
  BUNDLE_FILE,
  BUNDLE_FORMAT_VERSION,
  type BundleIndex,
  canonicalJson,
  digestDirectory,
  digestOf,
  type GatewayBundle,
  INDEX_FILE,
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

/** The files of a build: one directory for each bundle, named by its digest, and the index. Same bundles, same bytes. */
export function bundleFiles(bundles: readonly GatewayBundle[]): BundleOutput {
  const packed = bundles.map(bundle => {
    const text = canonicalJson(bundle);
    const digest = digestOf(text);
    const path = `bundles/${bundle.namespace}/${bundle.name}/${digestDirectory(digest)}`;
    const { kind, namespace, name } = bundle;
    return { entry: { kind, namespace, name, digest, path }, file: { path: `${path}/${BUNDLE_FILE}`, text } };
  });
  const index: BundleIndex = { formatVersion: BUNDLE_FORMAT_VERSION, bundles: packed.map(({ entry }) => entry) };
  const indexFile = { path: INDEX_FILE, text: `${JSON.stringify(index, null, 2)}\n` };
  return { index, files: [...packed.map(({ file }) => file), indexFile] };
}
