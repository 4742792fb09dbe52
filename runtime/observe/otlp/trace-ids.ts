import { randomFillSync } from 'node:crypto';

/** Random bytes for many ids, because one large request for random bytes is much cheaper than many small ones. */
const pool = Buffer.alloc(24 * 256);
let used = pool.length;

function createRandomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}

/** 32 hexadecimal digits. */
export function createTraceId(): string {
  return createRandomHex(16);
}

/** 16 hexadecimal digits. */
export function createSpanId(): string {
  return createRandomHex(8);
}
