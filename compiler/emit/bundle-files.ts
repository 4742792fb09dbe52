import {
  BUNDLE_FILE,
  BUNDLE_FORMAT_VERSION,
  type BundleIndex,
  type BundleIndexEntry,
  canonicalJson,
  compareText,
  computeDigest,
  digestDirectory,
  type GatewayBundle,
  INDEX_FILE,
  type RegistryBundle,
  type ServerIndexEntry,
} from '#schemas';
import { EXPOSURE_FILE, type Exposure } from '../analysis/exposure/exposure.ts';
import type { RegistryExposure } from '../analysis/exposure/registry/registry-exposure.ts';

/** One file of an output folder: a path relative to it, with forward slashes, and its bytes as UTF-8 text. */
export interface OutputFile {
  readonly path: string;
  readonly text: string;
}

export interface BundleOutput {
  readonly index: BundleIndex;
  /** The bundles first and the index last: a reader that sees the index sees what it names. */
  readonly files: readonly OutputFile[];
}

export interface Built {
  readonly bundle: GatewayBundle | RegistryBundle;
  /** Goes next to the bundle where given. The digest is not over it: it also depends on the tool lock. */
  readonly exposure?: Exposure | RegistryExposure | null;
  /** Goes next to the bundle, which has its digests; paths are relative to its directory. */
  readonly files?: readonly OutputFile[];
}

/** A bundle's text, and what goes by it. */
export interface PackedBundle {
  /** Canonical JSON. */
  readonly text: string;
  /** `sha256:…` of the text. */
  readonly digest: string;
}

/** What an index names: a bundle to choose, or that of a server of a cluster. */
export type IndexEntry = BundleIndexEntry | ServerIndexEntry;

interface PackedEntry extends PackedBundle {
  readonly entry: IndexEntry;
  readonly path: string;
  readonly file: OutputFile;
}

const PACKED = new WeakMap<Built['bundle'], PackedEntry>();

/** Once for each bundle: they never change, and a compiler that runs on gives the same ones again. */
export function packedBundle(bundle: Built['bundle']): PackedBundle {
  return packed(bundle);
}

function packed(bundle: Built['bundle']): PackedEntry {
  const known = PACKED.get(bundle);
  if (known !== undefined) return known;
  const text = canonicalJson(bundle);
  const digest = computeDigest(text);
  const path = `bundles/${bundle.namespace}/${bundle.name}/${digestDirectory(digest)}`;
  const { namespace, name } = bundle;
  const kind = (bundle.kind === 'gateway' ? bundle.front : undefined) ?? bundle.kind;
  const made = {
    text,
    digest,
    entry: { kind, namespace, name, digest, path },
    path,
    file: { path: `${path}/${BUNDLE_FILE}`, text },
  };
  PACKED.set(bundle, made);
  return made;
}

/** The files of a build: one directory for each bundle, named by its digest, and the index. Same bundles, same bytes. */
export function bundleFiles(built: readonly Built[]): BundleOutput {
  const outputs = built.map(({ bundle, exposure, files = [] }) => {
    const { entry, path, file } = packed(bundle);
    // Before the bundle: a reader that sees the bundle has all of it.
    const own = [...files.map(beside => ({ ...beside, path: `${path}/${beside.path}` })), file];
    if (!exposure) return { entry, files: own };
    const text = `${JSON.stringify(exposure, null, 2)}\n`;
    return { entry, files: [...own, { path: `${path}/${EXPOSURE_FILE}`, text }] };
  });
  const index = bundleIndex(outputs.map(({ entry }) => entry));
  const indexFile = { path: INDEX_FILE, text: `${JSON.stringify(index, null, 2)}\n` };
  return { index, files: [...outputs.flatMap(({ files }) => files), indexFile] };
}

/** The index of these entries, sorted. */
export function bundleIndex(entries: readonly IndexEntry[]): BundleIndex {
  const sorted = entries.toSorted(
    (a, b) => compareText(a.kind, b.kind) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name),
  );
  const servers = sorted.filter(isServer);
  return {
    formatVersion: BUNDLE_FORMAT_VERSION,
    bundles: sorted.filter(entry => !isServer(entry)),
    ...(servers.length === 0 ? {} : { servers }),
  };
}

/** All that an index names. */
export function listEntries({ bundles, servers = [] }: BundleIndex): readonly IndexEntry[] {
  return [...bundles, ...servers];
}

function isServer(entry: IndexEntry): entry is ServerIndexEntry {
  return entry.kind !== 'gateway' && entry.kind !== 'registry';
}
