/** No input makes the compiler throw or hang, and every result is well-formed, repeatable and free of secrets. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/runs.ts';
import { compileText, expectSound, inTime } from './compiling.ts';
import { editedFile, type File, objectFile } from './documents.ts';
import { MARK, secret } from './secrets.ts';

const SEED = 20261120;
const TEST_TIMEOUT_MS = 120_000;

const files: readonly [name: string, files: fc.Arbitrary<File>, cases: number][] = [
  ['objects in a JSON list', objectFile('json list'), 4000],
  ['objects in JSON style in YAML', objectFile('json in yaml'), 400],
  ['objects in YAML', objectFile('yaml'), 250],
  ['edited specs', editedFile, 350],
];

test('this file tests at least 5,000 random specs', () => {
  expect(files.reduce((sum, [, , cases]) => sum + cases, 0)).toBeGreaterThanOrEqual(5000);
});

test.each(files)(
  'the compiler reads random specs without a crash, in time and without showing a secret: %s',
  { timeout: TEST_TIMEOUT_MS },
  (_, arbitrary, numRuns) => {
    const again = fc.integer({ min: 0, max: 7 }).map(one => one === 0);
    const property = fc.property(arbitrary, secret, again, ({ file, text }, hidden, isRepeated) => {
      const whole = file.endsWith('.json') ? text : text + hidden;
      const compiled = inTime(() => compileText(whole, file));
      expectSound(compiled);
      const { gateways, registries } = compiled.compilation;
      const bundles = JSON.stringify([gateways, registries]);
      if (compiled.json.includes(MARK) || bundles.includes(MARK)) throw new Error('shows what a Secret holds');
      if (isRepeated && compileText(whole, file).json !== compiled.json) throw new Error('differs the second time');
    });
    fc.assert(property, { seed: SEED, numRuns: runs(numRuns) });
  },
);
