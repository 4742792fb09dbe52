/**
 * Embeddings kept on disk, so that a start asks for no text that was embedded before. A file is a line of JSON, then for each text its
 * digest and its vector as 32-bit floats of this machine, then the digest of all before.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { VectorTable } from '#search';
import type { Logger } from '../../../observe/log.ts';

/** Goes up when files of before can no longer be read. */
const FORMAT = 1;

const MAX_HEAD_BYTES = 4_096;
const DIGEST_BYTES = 32;

/** Texts that are read or written at a time: others have their turn in between. */
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

/** A file that is not one of ours, or not whole. */
class VectorFileError extends Error {}

export class VectorFile {
  readonly path: string;
  readonly #maxBytes: number;
  readonly #log: Logger;
  #isWritable = true;

  /** @param maxBytes of all vectors; larger files are not ours */
  constructor(path: string, maxBytes: number, log: Logger) {
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#log = log;
  }

  /** What was kept; undefined when there is nothing, or nothing that can be used. */
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

  /** Replaces what was kept, at once and whole. The log has one line for a folder that cannot be written to. */
  async write(kept: StoredVectors): Promise<void> {
    // One for each process: several may serve the same gateway.
    const temporary = `${this.path}.${process.pid}.tmp`;
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      await rm(temporary, { force: true });
      await writeWhole(temporary, kept);
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
  if (!info.isFile()) throw new VectorFileError('it is no file');
  const hash = createHash('sha256');
  const start = await readExactly(handle, Math.min(MAX_HEAD_BYTES, info.size), 0);
  const end = start.indexOf('\n') + 1;
  const { provider, model, dimensions, count } = headIn(start.toString('utf8', 0, end));
  const recordBytes = DIGEST_BYTES + dimensions * Float32Array.BYTES_PER_ELEMENT;
  if (count * recordBytes > 2 * maxBytes) throw new VectorFileError('it is larger than such a file can be');
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
      // Copied, so that it begins where floats may begin.
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

function headIn(line: string): Head {
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
  // Rows that come while it is written are for the next time.
  const entries = [...rows];
  const head: Head = { format: FORMAT, ...origin, dimensions: table.dimensions, count: entries.length };
  const hash = createHash('sha256');
  // What tools are called and what they do may be for some callers only.
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
    // Without it a file may be there after a power cut, and its content not.
    await handle.sync();
  } finally {
    await handle.close();
  }
}
