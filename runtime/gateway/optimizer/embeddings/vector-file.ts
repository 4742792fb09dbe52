/**
 * Embeddings on disk, so that a start requests no text that was embedded before. A file consists of a line of JSON, then for each text its
 * digest and its vector as 32-bit floats in the machine's byte order, then the digest of everything before.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { VectorTable } from '#shared/search';
import { makeFolder } from '#shared/util';
import type { Logger } from '../../../observe/log.ts';

/** The number of the file's format: it increases when files of former versions can no longer be read. */
const FORMAT = 1;

const MAX_HEAD_BYTES = 4_096;
const DIGEST_BYTES = 32;

/** Number of texts that are read or written at a time, so that other work runs in between. */
const ROWS_AT_A_TIME = 256;

/** The model of the vectors: those of different models must not be compared. */
export interface VectorOrigin {
  readonly provider: string;
  readonly model: string;
}

export interface StoredVectors {
  readonly origin: VectorOrigin;
  readonly table: VectorTable;
  /** The row of each text by the SHA-256 of the text, in base64url. */
  readonly rows: ReadonlyMap<string, number>;
}

interface Head extends VectorOrigin {
  readonly format: typeof FORMAT;
  readonly dimensions: number;
  readonly count: number;
}

/** The file has another format, or is incomplete. */
class VectorFileError extends Error {}

export class VectorFile {
  readonly path: string;
  readonly #maxBytes: number;
  readonly #log: Logger;
  #isWritable = true;

  /** @param maxBytes limit on all vectors; a larger file is invalid */
  constructor(path: string, maxBytes: number, log: Logger) {
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#log = log;
  }

  /** Returns the stored data; undefined when there is none, or when it is unusable. */
  async read(): Promise<StoredVectors | undefined> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(this.path, 'r');
      return await readWhole(handle, this.#maxBytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      if (code === undefined && !(error instanceof VectorFileError)) throw error;
      const cause = code ?? (error as Error).message;
      this.#log.warn({ file: this.path, cause }, 'the embeddings kept on disk are not used: texts are embedded again');
      return undefined;
    } finally {
      await handle?.close();
    }
  }

  /** Replaces the stored data atomically. The log has one line for a folder that is not writable. */
  async write(stored: StoredVectors): Promise<void> {
    // The file has a name of its own for each process, because several may serve the same gateway.
    const temporary = `${this.path}.${process.pid}.tmp`;
    try {
      await makeFolder(dirname(this.path), { mode: 0o700 });
      await rm(temporary, { force: true });
      await writeWhole(temporary, stored);
      await rename(temporary, this.path);
      this.#isWritable = true;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      if (this.#isWritable)
        this.#log.warn(
          { file: this.path, cause: code },
          'embeddings cannot be kept on disk: a restart embeds all texts again',
        );
      this.#isWritable = false;
    }
  }
}

async function readWhole(handle: FileHandle, maxBytes: number): Promise<StoredVectors> {
  const info = await handle.stat();
  if (!info.isFile()) throw new VectorFileError('it is not a file');
  const hash = createHash('sha256');
  const start = await readExactly(handle, Math.min(MAX_HEAD_BYTES, info.size), 0);
  const end = start.indexOf('\n') + 1;
  const { provider, model, dimensions, count } = parseHead(start.toString('utf8', 0, end));
  const recordBytes = DIGEST_BYTES + dimensions * Float32Array.BYTES_PER_ELEMENT;
  if (count * recordBytes > 2 * maxBytes) throw new VectorFileError('it is larger than a file of embeddings can be');
  if (info.size !== end + count * recordBytes + DIGEST_BYTES) throw new VectorFileError('its length is wrong');
  hash.update(start.subarray(0, end));
  const table = new VectorTable(dimensions);
  const rows = new Map<string, number>();
  for (let at = 0; at < count; at += ROWS_AT_A_TIME) {
    const length = Math.min(ROWS_AT_A_TIME, count - at) * recordBytes;
    const records = await readExactly(handle, length, end + at * recordBytes);
    hash.update(records);
    for (let from = 0; from < length; from += recordBytes) {
      const key = records.toString('base64url', from, from + DIGEST_BYTES);
      // Copied, so that the data is aligned for floats.
      const bytes = Uint8Array.from(records.subarray(from + DIGEST_BYTES, from + recordBytes));
      rows.set(key, addRow(table, new Float32Array(bytes.buffer)));
    }
  }
  const digest = await readExactly(handle, DIGEST_BYTES, end + count * recordBytes);
  if (!hash.digest().equals(digest)) throw new VectorFileError('its content is damaged');
  return { origin: { provider, model }, table, rows };
}

function addRow(table: VectorTable, vector: Float32Array): number {
  try {
    return table.add(vector);
  } catch (error) {
    throw error instanceof RangeError ? new VectorFileError('its content is damaged') : error;
  }
}

async function readExactly(handle: FileHandle, length: number, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let read = 0; read < length; ) {
    const { bytesRead } = await handle.read(buffer, read, length - read, position + read);
    if (bytesRead === 0) throw new VectorFileError('it ends too early');
    read += bytesRead;
  }
  return buffer;
}

function parseHead(line: string): Head {
  let head: Partial<Head> | null;
  try {
    head = JSON.parse(line);
  } catch {
    head = null;
  }
  const isHead =
    head?.format === FORMAT &&
    [head.provider, head.model].every(text => typeof text === 'string') &&
    [head.dimensions, head.count].every(number => Number.isSafeInteger(number) && (number as number) >= 0) &&
    (head.dimensions as number) > 0;
  if (!isHead) throw new VectorFileError('it is not a file that this gateway has written');
  return head as Head;
}

async function writeWhole(path: string, { origin, table, rows }: StoredVectors): Promise<void> {
  // A row that is added during the write is stored by the next one.
  const entries = [...rows];
  const head: Head = { format: FORMAT, ...origin, dimensions: table.dimensions, count: entries.length };
  const hash = createHash('sha256');
  // Only this user may read the file: names and descriptions of tools may be visible to some callers only.
  const handle = await open(path, 'wx', 0o600);
  try {
    const write = async (bytes: Uint8Array): Promise<void> => {
      hash.update(bytes);
      await handle.writeFile(bytes);
    };
    await write(Buffer.from(`${JSON.stringify(head)}\n`));
    for (let at = 0; at < entries.length; at += ROWS_AT_A_TIME) {
      const records = entries.slice(at, at + ROWS_AT_A_TIME).flatMap(([key, row]) => {
        const { buffer, byteOffset, byteLength } = table.getVector(row);
        return [Buffer.from(key, 'base64url'), Buffer.from(buffer, byteOffset, byteLength)];
      });
      await write(Buffer.concat(records));
    }
    await handle.writeFile(hash.digest());
    // Without `sync`, after a power failure, the file may exist without its content.
    await handle.sync();
  } finally {
    await handle.close();
  }
}
