import {
  BUNDLE_FILE,
  BUNDLE_FORMAT_VERSION,
  type BundleIndex,
  type BundleIndexEntry,
  compareText,
  computeDigest,
  formatCanonicalJson,
  type GatewayBundle,
  INDEX_FILE,
  type RegistryBundle,
  type ServerIndexEntry,
  toDigestDirectory,
} from '#schemas';
import { EXPOSURE_FILE, type Exposure } from '../analysis/exposure/exposure.ts';
import type { RegistryExposure } from '../analysis/exposure/registry/registry-exposure.ts';
import { BUNDLE_FOLDER } from '../source/written-output.ts';

/** One file of an output folder: a path relative to it, with forward slashes, and its bytes as UTF-8 text. */
export interface OutputFile {
  readonly path: string;
  readonly text: string;
}

export interface BundleOutput {
  readonly index: BundleIndex;
  /** Bundles first, the index last, so that a reader of the index finds everything that it names. */
  readonly files: readonly OutputFile[];
}

export interface Built {
  readonly bundle: GatewayBundle | RegistryBundle;
  /** Written next to the bundle if given. The bundle's digest does not cover it, since it also depends on the tool lock. */
  readonly exposure?: Exposure | RegistryExposure | null;
  /** Written next to the bundle, which contains their digests; paths are relative to its folder. */
  readonly files?: readonly OutputFile[];
}

/** A bundle's text with its digest and files. */
export interface PackedBundle {
  /** Canonical JSON. */
  readonly text: string;
  /** `sha256:…` of the text. */
  readonly digest: string;
}

/** An entry of the index: the bundle of a gateway or registry server, or that of the gateway in front of a server in a cluster. */
export type IndexEntry = BundleIndexEntry | ServerIndexEntry;

interface PackedEntry extends PackedBundle {
  readonly entry: IndexEntry;
  readonly path: string;
  readonly file: OutputFile;
}

const PACKED = new WeakMap<Built['bundle'], PackedEntry>();

/** Cached: bundles never change, and an incremental compiler returns the same ones again. */
export function packBundle(bundle: Built['bundle']): PackedBundle {
  return packEntry(bundle);
}

function packEntry(bundle: Built['bundle']): PackedEntry {
  const known = PACKED.get(bundle);
  if (known !== undefined) return known;
  const text = formatCanonicalJson(bundle);
  const digest = computeDigest(text);
  const path = `${BUNDLE_FOLDER}/${bundle.namespace}/${bundle.name}/${toDigestDirectory(digest)}`;
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
export function listBundleFiles(built: readonly Built[]): BundleOutput {
  const outputs = built.map(({ bundle, exposure, files = [] }) => {
    const { entry, path, file } = packEntry(bundle);
    // Written before the bundle, so that a reader of the bundle finds everything.
    const own = [...files.map(sibling => ({ ...sibling, path: `${path}/${sibling.path}` })), file];
    if (!exposure) return { entry, files: own };
    const text = `${JSON.stringify(exposure, null, 2)}\n`;
    return { entry, files: [...own, { path: `${path}/${EXPOSURE_FILE}`, text }] };
  });
  const index = buildBundleIndex(outputs.map(({ entry }) => entry));
  const indexFile = { path: INDEX_FILE, text: `${JSON.stringify(index, null, 2)}\n` };
  return { index, files: [...outputs.flatMap(({ files }) => files), indexFile] };
}

/** The index of these entries, sorted. */
export function buildBundleIndex(entries: readonly IndexEntry[]): BundleIndex {
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

/** All bundles of an index. */
export function listEntries({ bundles, servers = [] }: BundleIndex): readonly IndexEntry[] {
  return [...bundles, ...servers];
}

function isServer(entry: IndexEntry): entry is ServerIndexEntry {
  return entry.kind !== 'gateway' && entry.kind !== 'registry';
}
