/**
 * The last good entries of sources on disk: a server that starts while an upstream is unavailable lists its former entries. A file is a line of
 * JSON about the reading, then the entries (`entry-lines.ts`).
 */
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { computeDigest } from '#schemas';
import { makeFolder } from '#util';
import type { Logger } from '../../observe/log.ts';
import type { Snapshot } from '../snapshot.ts';
import { EntryLinesError, formatEntryLines, readEntryLines } from './entry-lines.ts';
import { FileBytesError, getFileErrorCode, readFileBytes } from './file-bytes.ts';

/** Goes up when files of before can no longer be read. */
const FORMAT = 1;

/** Larger files are not ours; bytes. It is more than a source may have, for what each line adds. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

const LINE_FEED = 10;

/** A reading as it is kept. */
export interface LastGood {
  readonly snapshot: Snapshot;
  /** See `Reading`. */
  readonly mark: string | null;
  readonly note: string;
  /** RFC 3339. */
  readonly readAt: string;
}

interface Head {
  readonly format: typeof FORMAT;
  /** Identifies the reading: entries of another source or filter do not belong to this one. */
  readonly identity: string;
  /** Digest of all that follows. */
  readonly revision: string;
  readonly mark: string | null;
  readonly note: string;
  readonly readAt: string;
}

export class LastGoodFolder {
  readonly path: string;
  readonly #log: Logger;
  #isWritable = true;
  /** One at a time: an old and a new source of the same name could write at once. */
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
   * Replaces the stored entries of a source atomically. The log has one line for a folder that is not writable.
   * @returns whether they are stored now
   */
  write(source: string, identity: string, kept: LastGood): Promise<boolean> {
    const written = this.#writing.then(() => this.#write(source, identity, kept));
    this.#writing = written;
    return written;
  }

  async #write(source: string, identity: string, { snapshot, mark, note, readAt }: LastGood): Promise<boolean> {
    const file = this.#formatFile(source);
    // Always the same: a server that is killed while it writes, again and again, must not fill the disk.
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

  /** Names of sources are checked, but a slash in one would lead out of the folder. */
  #formatFile(source: string): string {
    return join(this.path, `${encodeURIComponent(source)}.ndjson`);
  }
}

/** A file that is not ours, or of something else. */
class StoredEntriesError extends Error {}

/** @throws KeptError, EntryLinesError */
function parse(source: string, identity: string, bytes: Buffer): LastGood {
  const end = bytes.indexOf(LINE_FEED);
  const head = readHead(bytes.toString('utf8', 0, Math.max(end, 0)));
  if (head === undefined) throw new StoredEntriesError('it is not a file that this server has written');
  if (head.identity !== identity) throw new StoredEntriesError('it is of another configuration of the source');
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
  // Entries of a source can be for some callers only.
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(`${head}\n`);
    for (const piece of formatEntryLines(entries)) await handle.writeFile(piece);
    // Without it a file may be there after a power cut, and its content not.
    await handle.sync();
  } finally {
    await handle.close();
  }
}
