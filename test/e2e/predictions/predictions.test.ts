/** `lintel matrix`, `can` and `exposure` must predict what the built gateway does; `many-predictions.test.ts` tries more gateways. */
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { judgeWorld } from './agreement.ts';

test('the exposure report agrees with the answers of a gateway', async () => {
  const tally = await judgeWorld({ seed: 1, gateways: 2, lintel: (args, cwd) => runLintel(args, { cwd }) });
  expect(tally.disagreements).toEqual([]);
  expect(tally.gateways).toBeGreaterThan(0);
});
