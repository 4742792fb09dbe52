import type { ServerResponse } from 'node:http';
import { IS_TUNED } from './is-tuned.ts';

/** Minimum size of chunks whose memory is released early; bytes. It is larger than Node's shared pool for small buffers. */
const LARGE_BYTES = 16 * 1024;

/**
 * Writes a chunk that came from a connection and that no code reads again, and frees its memory as soon as it is written. V8 would free the memory only
 * at the next garbage collection, after 32 MB of chunks, so each large response would make the process grow. Returns false if the connection is full,
 * like `write`.
 */
export function writeAndRelease(res: ServerResponse, chunk: Uint8Array, onWritten?: () => void): boolean {
  if (!IS_TUNED || !isRestOfMemory(chunk)) return res.write(chunk, onWritten);
  const memory = chunk.buffer as ArrayBuffer;
  return res.write(chunk, error => {
    // After a failed write the kernel may still use the memory.
    if (!error && !memory.detached) memory.transfer(0);
    onWritten?.();
  });
}

/**
 * Whether the chunk extends to the end of its buffer. If it did not, the bytes after it might not be read yet. Bytes before it belong to the same
 * response and are already written.
 */
export function isRestOfMemory({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  return buffer.byteLength >= LARGE_BYTES && byteOffset + byteLength === buffer.byteLength;
}
