/** A source whose entries are part of the bundle. */
import { resolve, sep } from 'node:path';
import { computeDigest, type EntriesFile, type RegistrySourcePlan } from '#schemas';
import { readCompressed } from '../../bundle/compressed-file.ts';
import { FileBytesError, readFileBytes } from '../../bundle/file-bytes.ts';
import type { Snapshot, SourceStatus } from '../snapshot.ts';
import { EntryLinesError, readEntryLines } from './entry-lines.ts';
import { computeSourceKey, createEmptySnapshot, type ListedSource } from './source.ts';

/** Maximum size of a file of entries, in bytes. */
const MAX_ENTRIES_BYTES = 512 * 1024 * 1024;

/** A file of entries does not match its bundle, so the bundle must not be served. The message names the file. */
export class EntriesFileError extends Error {
  constructor(path: string, cause: string) {
    super(`${path}: ${cause}; build the bundle again`);
    this.name = 'EntriesFileError';
  }
}

/** A source whose entries are in a file next to the bundle. The file is read once. */
export class BundledSource implements ListedSource {
  readonly key: string;
  readonly tried: Promise<void> = Promise.resolve();
  snapshot: Snapshot;
  readonly #folder: string;
  readonly #entries: EntriesFile;
  readonly #now: () => number;
  #loading: Promise<void> | undefined;
  /** When the source was last read, in RFC 3339; null before the first read. */
  #readAt: string | null = null;

  /** @param folder the folder of the bundle */
  constructor(plan: RegistrySourcePlan, entries: EntriesFile, folder: string, now: () => number) {
    this.key = computeSourceKey(plan);
    this.snapshot = createEmptySnapshot(plan.name);
    this.#folder = folder;
    this.#entries = entries;
    this.#now = now;
  }

  /** @throws EntriesFileError */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<void> {
    this.snapshot = await readBundled(this.snapshot.source, this.#folder, this.#entries);
    this.#readAt = new Date(this.#now()).toISOString();
  }

  status(): SourceStatus {
    return {
      name: this.snapshot.source,
      type: 'bundled',
      phase: this.#readAt === null ? 'syncing' : 'complete',
      servers: this.snapshot.entries.length,
      lastSync: this.#readAt,
      lastAttempt: this.#readAt,
      attempts: 0,
      message: '',
      isFromDisk: false,
    };
  }

  follow(): void {}

  retain(): void {}

  async release(): Promise<void> {}
}

/**
 * Reads the entries of a source next to its bundle.
 * @param folder the bundle's folder
 * @throws EntriesFileError for a file that is missing, differs (digest, count), or is invalid
 */
async function readBundled(source: string, folder: string, file: EntriesFile): Promise<Snapshot> {
  const path = resolve(folder, file.path);
  // A path in a bundle must not lead out of its folder.
  if (!path.startsWith(resolve(folder) + sep)) throw new EntriesFileError(file.path, 'is not inside of the bundle');
  const bytes = await readInSomeForm(path).catch(error => {
    throw error instanceof FileBytesError ? new EntriesFileError(path, error.message) : error;
  });
  const digest = computeDigest(bytes);
  if (digest !== file.digest)
    throw new EntriesFileError(path, `the content has digest ${digest}, but the bundle has ${file.digest}`);
  try {
    const entries = readEntryLines(bytes);
    if (entries.length === file.count) return { source, revision: digest, entries };
    throw new EntriesFileError(path, `it has ${entries.length} entries, but the bundle has ${file.count}`);
  } catch (error) {
    throw error instanceof EntryLinesError ? new EntriesFileError(path, error.message) : error;
  }
}

/** Reads a file, or its compressed form: large files of entries are compressed, like large bundles. */
async function readInSomeForm(path: string): Promise<Buffer> {
  try {
    return await readFileBytes(path, MAX_ENTRIES_BYTES);
  } catch (error) {
    const isMissing = error instanceof FileBytesError && error.isMissing;
    const bytes = isMissing ? await readCompressed(path, MAX_ENTRIES_BYTES) : undefined;
    if (bytes === undefined) throw error;
    return bytes;
  }
}
