import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';

const CHUNK_BYTES = 65_536;

/**
 * The bytes of a file, or of an open one; undefined when there are more than `maxBytes`. Devices and pipes have no known size, and some never
 * end.
 *
 * @throws the error of the system
 */
export function readBytes(file: string | number, maxBytes: number): Buffer | undefined {
  if (typeof file === 'number') return readUntilEnd(file, maxBytes);
  const stats = statSync(file);
  if (stats.isFile()) return stats.size > maxBytes ? undefined : readFileSync(file);
  const descriptor = openSync(file, 'r');
  try {
    return readUntilEnd(descriptor, maxBytes);
  } finally {
    closeSync(descriptor);
  }
}

function readUntilEnd(descriptor: number, maxBytes: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  let size = 0;
  while (size <= maxBytes) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readSync(descriptor, chunk);
    if (read === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, read));
    size += read;
  }
  return undefined;
}
