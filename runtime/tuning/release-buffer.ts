import type { ServerResponse } from 'node:http';

/** From here on the memory of a chunk is worth the trouble, in bytes. More than Node's pool for small buffers, which is shared. */
const LARGE_BYTES = 16 * 1024;

/**
 * Writes a chunk that was read from a connection and that no code reads again, and gives its memory back as soon as it is
 * written. Otherwise V8 does so when it looks, which is after 32 MB of chunks: a large answer would grow every process it passes.
 *
 * Returns false when the connection is full, as `write` does.
 */
export function writeAndRelease(res: ServerResponse, chunk: Uint8Array, onWritten?: () => void): boolean {
  if (!isRestOfMemory(chunk)) return res.write(chunk, onWritten);
  const memory = chunk.buffer as ArrayBuffer;
  return res.write(chunk, error => {
    // A write that failed may not be over.
    if (!error && !memory.detached) memory.transfer(0);
    onWritten?.();
  });
}

/**
 * Whether the chunk is the end of its buffer. Bytes after it are unread, and may be put back when reading pauses; bytes before it
 * belong to the same response and are written already.
 */
export function isRestOfMemory({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  return buffer.byteLength >= LARGE_BYTES && byteOffset + byteLength === buffer.byteLength;
}
