/** Vitest gives `vi.waitFor` one second, which a busy machine needs for much less than what tests wait for. */
import { vi } from 'vitest';

/** Milliseconds; only a test that fails takes as long. */
const LIMIT_MS = 100_000;

const { waitFor } = vi;
vi.waitFor = (callback, options) => {
  const { timeout = 0, ...rest } = typeof options === 'number' ? { timeout: options } : (options ?? {});
  return waitFor(callback, { ...rest, timeout: Math.max(timeout, LIMIT_MS) });
};
