/** The two YAML parsers never disagree about a generated text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/runs.ts';
import { compareReaders } from './comparing.ts';
import { editedText, writtenText } from './texts.ts';

const SEED = 20261120;

/** At least this share of the texts is for the fast parser; otherwise the two would agree because it parsed nothing. */
const cases: readonly [name: string, texts: fc.Arbitrary<string>, numRuns: number, share: number][] = [
  ['random values as the yaml library writes them', writtenText, 8_000, 0.15],
  ['randomly edited texts of this repository', editedText, 16_000, 0.2],
];

test.each(cases)(
  'the fast YAML reader reads texts like the full parser, or leaves them to the full parser: %s',
  { timeout: 180_000 },
  (_, texts, all, share) => {
    const numRuns = runs(all);
    let same = 0;
    const property = fc.property(texts, text => {
      if (compareReaders(text) === 'same') same += 1;
    });
    fc.assert(property, { seed: SEED, numRuns });
    expect(same / numRuns).toBeGreaterThan(share);
  },
);
