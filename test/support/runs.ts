/** How often tests try random input: `npm run test:properties` tries all, `npm test` a part, so that it stays short. */

/** The cases of a test that tries `all` of them where there is time: a quarter in `npm test`. */
export function runs(all: number): number {
  return process.env.LINTEL_PROPERTIES === 'all' ? all : Math.ceil(all / 4);
}

/** For `filter`, where there is a list of cases and none is random: all of them, or each fourth in `npm test`. */
export function isOneOfRuns(_: unknown, index: number): boolean {
  return process.env.LINTEL_PROPERTIES === 'all' || index % 4 === 0;
}
