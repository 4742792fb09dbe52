/** `index.json` of a folder of bundles, by which runtimes find their bundles. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFiles } from '#compiler';
import { BUNDLE_FORMAT_VERSION, type BundleIndexEntry, compareText, INDEX_FILE } from '#schemas';
import { formatUnitKey } from '../reconcile/index.ts';

/** The entries by gateway or registry server. Empty when the index is missing or unreadable: it is then written completely. */
export async function readIndex(folder: string): Promise<Map<string, BundleIndexEntry>> {
  const text = await readFile(join(folder, INDEX_FILE), 'utf8').catch(() => '{}');
  const entries = parseEntries(text).map(entry => [formatUnitKey(entry), entry] as const);
  return new Map(entries);
}

/** In the form of `lintel build`, atomically. */
export async function writeIndex(folder: string, entries: Iterable<BundleIndexEntry>): Promise<void> {
  const bundles = [...entries].sort(
    (a, b) => compareText(a.kind, b.kind) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name),
  );
  const text = `${JSON.stringify({ formatVersion: BUNDLE_FORMAT_VERSION, bundles }, null, 2)}\n`;
  await writeFiles(folder, [{ path: INDEX_FILE, text }]);
}

function parseEntries(text: string): readonly BundleIndexEntry[] {
  try {
    const { bundles } = JSON.parse(text) as { bundles?: unknown };
    return Array.isArray(bundles) ? bundles.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(entry: unknown): entry is BundleIndexEntry {
  const { kind, namespace, name, digest, path } = (entry ?? {}) as { [key: string]: unknown };
  return [kind, namespace, name, digest, path].every(member => typeof member === 'string');
}
