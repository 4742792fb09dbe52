/** A folder as the destination of compiled revisions: bundles and their index, as `lintel build` writes them. */
import { readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFiles } from '#compiler';
import {
  API_GROUP,
  BUNDLE_FILE,
  type BundleIndexEntry,
  OBJECT_KIND,
  STORAGE_VERSION,
  toDigestDirectory,
} from '#schemas';
import type { CompiledUnit } from '../compile/index.ts';
import type { KubeObject } from '../kube/types.ts';
import {
  asFolderError,
  type Destination,
  formatUnitKey,
  PartlyApplied,
  type PlannedChange,
} from '../reconcile/index.ts';
import type { InventoryEntry } from '../status/index.ts';
import { readIndex, writeIndex } from './bundle-index.ts';
import { removeOldBundles } from './old-bundles.ts';

/** A change in the folder, for the log. */
export type FolderChange = Pick<BundleIndexEntry, 'kind' | 'namespace' | 'name'> & {
  readonly action: 'written' | 'removed' | 'put back';
  readonly digest: string;
};

type UnitKey = Pick<CompiledUnit, 'kind' | 'namespace' | 'name'>;

/**
 * Every step is atomic: files are renamed into place, the index last. Entries of the index that other programs wrote stay.
 *
 * @param folder absolute
 */
export function createFolderDestination(folder: string, changed: (change: FolderChange) => void): Destination {
  // What the last plan compiled, by key: a change has only an object, and these have the contents.
  let units = new Map<string, CompiledUnit>();

  const enter = async (entries: readonly BundleIndexEntry[]) => {
    const index = await readIndex(folder);
    for (const entry of entries) index.set(formatUnitKey(entry), entry);
    await writeIndex(folder, index.values());
  };

  return {
    knowsHealth: false,

    plan: async (outcome, before) => {
      const index = await readIndex(folder);
      const known = new Map(before.units.map(state => [formatUnitKey(state), state]));
      units = new Map(outcome.units.map(unit => [formatEntryId(unit), unit]));
      const changes: PlannedChange[] = [];
      const retained: InventoryEntry[] = [];
      for (const unit of outcome.units) {
        const { digest } = unit;
        if (digest === null) continue;
        const state = known.get(formatUnitKey(unit));
        const entry = index.get(formatUnitKey(unit));
        const isHeld = before.stays.has(formatUnitKey(unit));
        if (entry !== undefined && (isHeld || (await isStored(folder, unit, entry)))) {
          retained.push(toInventoryEntry(unit, entry.digest));
          continue;
        }
        changes.push({
          action: entry === undefined ? 'create' : 'configure',
          object: toObject(unit, digest),
          difference: [`bundle: ${entry?.digest ?? 'none'} -> ${digest}`],
          isDrift: state?.digest === digest,
        });
      }
      const desiredKeys = new Set(units.keys());
      const deletions = before.inventory.filter(({ id }) => !desiredKeys.has(id));
      return { changes, unchanged: retained.length, deletions, kept: retained };
    },

    apply: async (changes, signal) => {
      const entries: BundleIndexEntry[] = [];
      try {
        for (const { object } of changes) {
          signal.throwIfAborted();
          const unit = units.get(formatObjectId(object));
          if (unit === undefined || unit.digest === null) continue;
          const entry = indexEntry(unit, unit.digest);
          const files = unit.files.map(file => ({ path: `${entry.path}/${file.path}`, text: file.text }));
          await writeFiles(folder, files);
          entries.push(entry);
        }
        await enter(entries);
      } catch (error) {
        // Runtimes find a bundle through the index, so while the index is not written, nothing counts as applied.
        throw new PartlyApplied([], asFolderError(error, folder) as Error);
      }
      for (const entry of entries) {
        changed({ ...entry, action: 'written' });
        const home = join(folder, dirname(entry.path));
        await removeOldBundles(home, await listUsedBundles(folder, home));
      }
      return entries.map(entry => toInventoryEntry(entry, entry.digest));
    },

    prune: async deletions => {
      const index = await readIndex(folder);
      const gone = new Set(deletions.map(({ id }) => id));
      const removed = [...index.values()].filter(entry => gone.has(formatEntryId(entry)));
      for (const entry of removed) index.delete(formatUnitKey(entry));
      if (removed.length > 0) await writeIndex(folder, index.values());
      for (const entry of removed) {
        const home = join(folder, dirname(entry.path));
        if ((await listUsedBundles(folder, home)).size === 0) await rm(home, { recursive: true, force: true });
        changed({ ...entry, action: 'removed' });
      }
      return [];
    },

    // The controller only writes the files: a runtime that watches this folder reports nothing back.
    rollouts: async all => {
      const index = await readIndex(folder);
      return all.flatMap(unit => {
        const { kind, namespace, name } = unit;
        const entry = index.get(formatUnitKey(unit));
        const rollout = { unit: { kind, namespace, name }, message: '' };
        return entry === undefined ? [] : [{ ...rollout, digest: entry.digest, state: 'active' as const }];
      });
    },

    rollBack: async (unit, { digest }) => {
      const entry = indexEntry(unit, digest);
      if ((await stat(join(folder, entry.path, BUNDLE_FILE)).catch(() => undefined)) === undefined) return false;
      await enter([entry]);
      changed({ ...entry, action: 'put back' });
      return true;
    },
  };
}

/** Whether the index has the bundle and all of its files are intact. */
async function isStored(folder: string, unit: CompiledUnit, entry: BundleIndexEntry): Promise<boolean> {
  if (entry.digest !== unit.digest || entry.path !== indexEntry(unit, unit.digest).path) return false;
  for (const { path, text } of unit.files) {
    if ((await readFile(join(folder, entry.path, path), 'utf8').catch(() => undefined)) !== text) return false;
  }
  return true;
}

async function listUsedBundles(folder: string, home: string): Promise<ReadonlySet<string>> {
  const index = await readIndex(folder);
  const own = [...index.values()].filter(({ path }) => join(folder, dirname(path)) === home);
  return new Set(own.map(({ digest }) => toDigestDirectory(digest)));
}

function indexEntry({ kind, namespace, name }: UnitKey, digest: string): BundleIndexEntry {
  // An MCPServer of a cluster runs in pods, which a folder does not have, so every kind except the registry server is a gateway.
  const of = kind === 'registry' ? kind : 'gateway';
  return { kind: of, namespace, name, digest, path: `bundles/${namespace}/${name}/${toDigestDirectory(digest)}` };
}

/** One object represents a gateway or registry server; its identity is the digest, because equal bundles are the same. */
function toObject(unit: UnitKey, digest: string): KubeObject {
  const { namespace, name } = unit;
  return {
    apiVersion: `${API_GROUP}/${STORAGE_VERSION}`,
    kind: OBJECT_KIND[unit.kind],
    metadata: { namespace, name, uid: digest },
  };
}

function formatEntryId({ kind, namespace, name }: UnitKey): string {
  return `${namespace}_${name}_${API_GROUP}_${OBJECT_KIND[kind]}`;
}

function formatObjectId({ kind, metadata }: KubeObject): string {
  return `${metadata.namespace}_${metadata.name}_${API_GROUP}_${kind}`;
}

function toInventoryEntry(unit: UnitKey, digest: string): InventoryEntry {
  return { id: formatEntryId(unit), v: STORAGE_VERSION, uid: digest };
}
