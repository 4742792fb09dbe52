/**
 * The number of random cases: `npm run test:properties` runs all, `npm test` an eighth, so that it stays short, and `npm run test:slow` and
 * `npx vitest run FOLDER` a quarter.
 */
const isAll = process.env.LINTEL_PROPERTIES === 'all';
const PART = isAll ? 1 : process.env.LINTEL_TESTS === 'quick' ? 8 : 4;

/** The number of cases for a test that runs `all` where there is time. */
export function runs(all: number): number {
  return Math.ceil(all / PART);
}

/** Filters cases that are listed and not random: keeps all of them for `npm run test:properties`, and every fourth otherwise. */
export function isOneOfRuns(_: unknown, index: number): boolean {
  return isAll || index % 4 === 0;
}
