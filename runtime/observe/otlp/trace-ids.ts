import { randomFillSync } from 'node:crypto';

/** Random bytes are cheap by the page. */
const pool = Buffer.alloc(24 * 256);
let taken = pool.length;

function createRandomHex(bytes: number): string {
  if (taken + bytes > pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += bytes;
  return pool.toString('hex', taken - bytes, taken);
}

/** 32 hexadecimal digits. */
export function createTraceId(): string {
  return createRandomHex(16);
}

/** 16 hexadecimal digits. */
export function createSpanId(): string {
  return createRandomHex(8);
}
