import { isObject } from '../json-object.ts';
import type { ServerProblem } from './problem.ts';

/** Levels of nesting in one entry, including the entry itself. */
export const MAX_ENTRY_DEPTH = 64;

/** The maximum size of one entry as compact JSON text in UTF-8; bytes. */
export const MAX_ENTRY_BYTES = 256 * 1024;

/** The maximum number of entries in one source. */
export const MAX_ENTRIES = 100_000;

/**
 * Whether a value is small enough as JSON text. It must be checked before any other code reads the value: a deeply nested one would overflow the
 * stack of a recursive function.
 */
export function findSizeProblem(value: unknown): ServerProblem | undefined {
  const violation = findJsonViolation(value);
  if (violation !== undefined) return { pointer: '', message: violation };
  if (Buffer.byteLength(JSON.stringify(value)) <= MAX_ENTRY_BYTES) return undefined;
  return { pointer: '', message: `has more than ${MAX_ENTRY_BYTES} bytes` };
}

function findJsonViolation(root: unknown): string | undefined {
  let level: unknown[] = [root];
  for (let depth = 1; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const value of level) {
      const violation = findScalarViolation(value);
      if (violation !== undefined) return violation;
      if (Array.isArray(value)) for (const item of value) next.push(item);
      else if (isObject(value)) for (const [key, member] of Object.entries(value)) next.push(key, member);
    }
    if (depth > MAX_ENTRY_DEPTH) return `is nested deeper than ${MAX_ENTRY_DEPTH} levels`;
    level = next;
  }
  return undefined;
}

function findScalarViolation(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'has a text that is no Unicode';
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'has a number that JSON cannot hold';
  if (typeof value === 'boolean' || typeof value === 'object') return undefined;
  return 'has a value that JSON cannot hold';
}
