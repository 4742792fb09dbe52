import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** How much is read at a time; bytes. */
const CHUNK_BYTES = 1024 * 1024;

/** A file cannot be read. The message is written after the name of the file. */
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
 * Reads a regular file. The file is opened in such a way that a pipe without a writer does not block one of the few threads which all file access
 * shares. The limit also holds if the file system reports a smaller size, or if another process appends to the file.
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
  // One byte more than the size, so that the first read usually reaches the end of the file.
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
