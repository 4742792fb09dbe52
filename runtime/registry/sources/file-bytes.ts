import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Read at a time; bytes. */
const CHUNK_BYTES = 1024 * 1024;

/** A file cannot be read; the message follows its name. */
export class FileBytesError extends Error {
  /** Whether the file does not exist. */
  readonly isMissing: boolean;
  constructor(cause: string, isMissing = false) {
    super(cause);
    this.name = 'FileBytesError';
    this.isMissing = isMissing;
  }
}

/** The code of a file system's error, such as `ENOENT`. */
export function getFileErrorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}

/**
 * The content of a regular file.
 *
 * Opening never blocks: opening a pipe without a writer would block one of the few threads that all file access shares. The limit holds
 * even if the file system reports a smaller size, and while another process appends.
 *
 * @throws FileBytesError
 */
export async function readFileBytes(path: string, maxBytes: number): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = await handle.stat();
    if (!info.isFile()) throw new FileBytesError('is not a file');
    if (info.size > maxBytes) throw createTooLarge(maxBytes);
    return await readAll(handle, info.size, maxBytes);
  } catch (error) {
    if (error instanceof FileBytesError) throw error;
    const code = getFileErrorCode(error);
    throw new FileBytesError(`cannot be read (${code})`, code === 'ENOENT');
  } finally {
    await handle?.close();
  }
}

async function readAll(handle: FileHandle, size: number, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // One byte more than expected, so that the end shows with the first read.
  for (let next = size + 1; ; next = CHUNK_BYTES) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(next), 0, next, null);
    if (bytesRead === 0) break;
    length += bytesRead;
    if (length > maxBytes) throw createTooLarge(maxBytes);
    chunks.push(buffer.subarray(0, bytesRead));
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
}

function createTooLarge(maxBytes: number): FileBytesError {
  return new FileBytesError(`has more than ${maxBytes} bytes`);
}
