/** A compressed file of a bundle, whole or in parts. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { MAX_PARTS, toCompressedPath, toPartPath } from '#schemas';
import { FileBytesError, readFileBytes } from './file-bytes.ts';

const decompress = promisify(gunzip);

/**
 * The content of a compressed file; undefined when there is none.
 *
 * @param path of the plain file
 * @param maxBytes limit on the plain and the compressed size, against decompression bombs
 * @throws FileBytesError with a message that follows the path
 */
export async function readCompressed(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const bytes = (await readIfThere(toCompressedPath(path), maxBytes)) ?? (await readParts(path, maxBytes));
  if (bytes === undefined) return undefined;
  try {
    return await decompress(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new FileBytesError(`has more than ${maxBytes} bytes when decompressed`);
    throw new FileBytesError(`cannot be decompressed (${message}); a part of it may be missing`);
  }
}

async function readParts(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let rest = maxBytes;
  for (let part = 0; part < MAX_PARTS; part++) {
    const bytes = await readIfThere(toPartPath(path, part), rest);
    if (bytes === undefined) break;
    rest -= bytes.length;
    parts.push(bytes);
  }
  return parts.length === 0 ? undefined : Buffer.concat(parts);
}

async function readIfThere(path: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    return await readFileBytes(path, maxBytes);
  } catch (error) {
    if (error instanceof FileBytesError && error.isMissing) return undefined;
    throw error;
  }
}
