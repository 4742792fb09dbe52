/** The number of random cases: `npm run test:properties` runs all, `npm test` a part, so that it stays short. */

/** The number of cases for a test that runs `all` where there is time: a quarter in `npm test`. */
export function runs(all: number): number {
  return process.env.LINTEL_PROPERTIES === 'all' ? all : Math.ceil(all / 4);
}

/** Filters cases that are listed and not random: keeps all of them, or every fourth in `npm test`. */
export function isOneOfRuns(_: unknown, index: number): boolean {
  return process.env.LINTEL_PROPERTIES === 'all' || index % 4 === 0;
}
