const UNIT_MS: { readonly [unit: string]: number } = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Timers beyond 2^31 - 1 ms (24.8 days) fire immediately; milliseconds. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/**
 * Milliseconds of a duration in Go's syntax, such as `1h30m` or `250ms`, rounded up.
 * @param text already matched against the schema's pattern
 */
export function parseDurationMs(text: string): number {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([0-9]+(?:\.[0-9]+)?)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return Math.ceil(total);
}
