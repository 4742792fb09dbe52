/**
 * The built `lintel matrix`, `can` and `exposure` must predict what the built gateway does, for many random gateways.
 * `LINTEL_PREDICTION_SEED=7 npx vitest run test/e2e/predictions/many-predictions.test.ts` repeats the worlds from seed 7 on.
 */
import { expect, test } from 'vitest';
import { PROGRAM, run } from '../../support/process.ts';
import { judgeWorld, type Tally } from './agreement.ts';

const FIRST = Number(process.env.LINTEL_PREDICTION_SEED ?? 1);
const WORLDS = 3;
const GATEWAYS = 4;

const lintel = (args: readonly string[], cwd: string) => run(PROGRAM.lintel, args, { cwd });

test.each([
  ['with a current tool lock', false],
  ['whose backends have changed since the build, with a new tool lock', true],
])('the exposure report agrees with the answers of random gateways %s', async (_, isStale) => {
  const tallies: Tally[] = [];
  for (let world = 0; world < WORLDS; world++) {
    const seed = FIRST + world;
    const tally = await judgeWorld({ seed, gateways: GATEWAYS, lintel, isStale });
    expect(tally.disagreements, `seed ${seed}`).toEqual([]);
    tallies.push(tally);
  }
  const total = (of: (tally: Tally) => number) => tallies.reduce((sum, tally) => sum + of(tally), 0);
  // Each answer and each kind of cell is there often enough to mean something.
  expect(total(({ gateways }) => gateways)).toBeGreaterThan((WORLDS * GATEWAYS) / 3);
  for (const answer of ['done', 'unknown', 'denied', 'ambiguous'])
    expect(
      total(({ answers }) => answers[answer] ?? 0),
      answer,
    ).toBeGreaterThan(5);
  for (const cell of ['yes', 'no', 'arguments'])
    expect(
      total(({ cells }) => cells[cell] ?? 0),
      cell,
    ).toBeGreaterThan(3);
});
