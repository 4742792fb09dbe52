import { compareText, computeDigest, type EntriesFile, formatCanonicalJson, type RegistryEntry } from '#schemas';
import type { BundledEntries } from '../../analysis/registry/contents.ts';

/** A file of a bundle: a path relative to its directory, with forward slashes, and its text. */
export interface BundleFile {
  readonly path: string;
  readonly text: string;
}

/** Entries as a file next to the bundle. The same entries give the same bytes, regardless of order. */
export function lowerEntries(
  source: string,
  { entries, origin }: BundledEntries,
): { readonly plan: EntriesFile; readonly file: BundleFile } {
  const lines = entries.toSorted(compareByNameAndVersion).map(entry => `${formatCanonicalJson(entry)}\n`);
  const text = lines.join('');
  const path = `entries/${source}.ndjson`;
  return { plan: { path, digest: computeDigest(text), count: lines.length, origin }, file: { path, text } };
}

function compareByNameAndVersion({ server: a }: RegistryEntry, { server: b }: RegistryEntry): number {
  return compareText(a.name, b.name) || compareText(a.version, b.version);
}
