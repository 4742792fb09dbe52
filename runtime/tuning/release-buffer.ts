import type { ServerResponse } from 'node:http';

/** Chunks from this size on are released early; bytes. It is larger than Node's shared pool for small buffers. */
const LARGE_BYTES = 16 * 1024;

/**
 * Writes a chunk that came from a connection and that no code reads again, and frees its memory as soon as it is written. V8 would free it only
 * at its next garbage collection, after 32 MB of chunks, so that each large response would grow the process. Returns false when the connection
 * is full, as `write` does.
 */
export function writeAndRelease(res: ServerResponse, chunk: Uint8Array, onWritten?: () => void): boolean {
  if (!isRestOfMemory(chunk)) return res.write(chunk, onWritten);
  const memory = chunk.buffer as ArrayBuffer;
  return res.write(chunk, error => {
    // After a failed write the kernel may still use the memory.
    if (!error && !memory.detached) memory.transfer(0);
    onWritten?.();
  });
}

/**
 * Whether the chunk extends to the end of its buffer. Bytes after it are unread and may be put back when reading pauses; bytes before it belong
 * to the same response and are written already.
 */
export function isRestOfMemory({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  return buffer.byteLength >= LARGE_BYTES && byteOffset + byteLength === buffer.byteLength;
}
