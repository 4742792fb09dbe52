/**
 * Stores the entries of the last good reading of each source on disk, so that a server that starts while an upstream is unavailable lists them. A
 * file has one line of JSON about the reading, and then the entries (`entry-lines.ts`).
 */
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { computeDigest } from '#schemas';
import { makeFolder } from '#shared/util';
import { FileBytesError, getFileErrorCode, readFileBytes } from '../../bundle/file-bytes.ts';
import type { Logger } from '../../observe/log.ts';
import type { Snapshot } from '../snapshot.ts';
import { EntryLinesError, formatEntryLines, readEntryLines } from './entry-lines.ts';

/** Increased when files of earlier versions can no longer be read. */
const FORMAT = 1;

/** Maximum size of a file, in bytes; Lintel writes no larger files. More than the limit of a source, because each line has additional members. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

const LINE_FEED = 10;

/** A stored reading. */
export interface LastGood {
  readonly snapshot: Snapshot;
  /** The mark of the reading, see `EntriesReading`. */
  readonly mark: string | null;
  readonly note: string;
  /** When the source was read; RFC 3339. */
  readonly readAt: string;
}

interface Head {
  readonly format: typeof FORMAT;
  /** The identity of the source (`computeSourceIdentity`): entries of another location or filter are not used. */
  readonly identity: string;
  /** Digest of the entries after the first line. */
  readonly revision: string;
  readonly mark: string | null;
  readonly note: string;
  readonly readAt: string;
}

export class LastGoodFolder {
  readonly path: string;
  readonly #log: Logger;
  #isWritable = true;
  /** The running write. Writes run one at a time, because an old and a new source of the same name may want to write at the same time. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(path: string, log: Logger) {
    this.path = path;
    this.#log = log;
  }

  /** The stored entries of a source; undefined when there are none, or when they are unusable. */
  async read(source: string, identity: string): Promise<LastGood | undefined> {
    const file = this.#formatFile(source);
    try {
      return parse(source, identity, await readFileBytes(file, MAX_FILE_BYTES));
    } catch (error) {
      if (error instanceof FileBytesError && error.isMissing) return undefined;
      const isKnown =
        error instanceof FileBytesError || error instanceof EntryLinesError || error instanceof StoredEntriesError;
      if (!isKnown) throw error;
      this.#log.warn({ source, file, cause: error.message }, 'the entries kept on disk are not used');
      return undefined;
    }
  }

  /**
   * Replaces the stored entries of a source atomically. If the folder is not writable, this is logged once.
   * @returns whether they are stored now
   */
  write(source: string, identity: string, lastGood: LastGood): Promise<boolean> {
    const isWritten = this.#writing.then(() => this.#write(source, identity, lastGood));
    this.#writing = isWritten;
    return isWritten;
  }

  async #write(source: string, identity: string, { snapshot, mark, note, readAt }: LastGood): Promise<boolean> {
    const file = this.#formatFile(source);
    // The temporary file always has the same name, so that a server that is killed again and again while it writes does not fill the disk.
    const temporary = `${file}.tmp`;
    const head: Head = { format: FORMAT, identity, revision: snapshot.revision, mark, note, readAt };
    try {
      await makeFolder(this.path, { mode: 0o700 });
      await rm(temporary, { force: true });
      await writeWhole(temporary, JSON.stringify(head), snapshot);
      await rename(temporary, file);
      this.#isWritable = true;
      return true;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      if (this.#isWritable) {
        const message = 'entries cannot be kept on disk; after a restart nothing is listed until the upstream answers';
        this.#log.warn({ folder: this.path, cause: getFileErrorCode(error) }, message);
      }
      this.#isWritable = false;
      return false;
    }
  }

  /** The file of a source. Names of sources are validated elsewhere, but here they are encoded as well: a slash could lead out of the folder. */
  #formatFile(source: string): string {
    return join(this.path, `${encodeURIComponent(source)}.ndjson`);
  }
}

/** The file was not written by Lintel, or belongs to another source. */
class StoredEntriesError extends Error {}

/** @throws StoredEntriesError, EntryLinesError */
function parse(source: string, identity: string, bytes: Buffer): LastGood {
  const end = bytes.indexOf(LINE_FEED);
  const head = readHead(bytes.toString('utf8', 0, Math.max(end, 0)));
  if (head === undefined) throw new StoredEntriesError('it is not a file that this server has written');
  if (head.identity !== identity) throw new StoredEntriesError('it belongs to another configuration of the source');
  const lines = bytes.subarray(end + 1);
  if (computeDigest(lines) !== head.revision) throw new StoredEntriesError('its content is damaged');
  const { revision, mark, note, readAt } = head;
  return { snapshot: { source, revision, entries: readEntryLines(lines) }, mark, note, readAt };
}

function readHead(line: string): Head | undefined {
  let head: Partial<Head> | null;
  try {
    head = JSON.parse(line);
  } catch {
    return undefined;
  }
  const texts = [head?.identity, head?.revision, head?.note, head?.readAt];
  const isHead =
    head?.format === FORMAT &&
    texts.every(text => typeof text === 'string') &&
    (head.mark === null || typeof head.mark === 'string');
  return isHead ? (head as Head) : undefined;
}

async function writeWhole(path: string, head: string, { entries }: Snapshot): Promise<void> {
  // Some entries of a source may be visible to certain callers only, so the file is private.
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(`${head}\n`);
    for (const piece of formatEntryLines(entries)) await handle.writeFile(piece);
    // Without `sync`, the file may exist without its content after a power failure.
    await handle.sync();
  } finally {
    await handle.close();
  }
}
