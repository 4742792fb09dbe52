/** Gives `vi.waitFor` a longer time limit: Vitest's default is one second, which is too short on a busy machine. */
import { vi } from 'vitest';

/** The time limit in milliseconds. Only a failing test takes this long. */
const LIMIT_MS = 100_000;

const { waitFor } = vi;
vi.waitFor = (callback, options) => {
  const { timeout = 0, ...rest } = typeof options === 'number' ? { timeout: options } : (options ?? {});
  return waitFor(callback, { ...rest, timeout: Math.max(timeout, LIMIT_MS) });
};
