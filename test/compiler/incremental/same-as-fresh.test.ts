/** The same sources give the same findings and bundles, no matter what the same compiler has compiled before. */

import { expect, test } from 'vitest';
import { createCompiler, FRESH_COMPILER } from '../../../compiler/incremental/index.ts';
import { type Compilation, type CompileOptions, listBundleFiles, SourceText } from '../../../compiler/index.ts';
import { runs } from '../../support/runs.ts';
import { seeded } from '../mutated-specs/seeded.ts';
import { edited, FILES, type Files } from './edits.ts';

const STEPS = 120;
const originOf = (sourceRevision: string | null) => ({ compilerVersion: '0.0.0', sourceRevision });

function textsOf(files: Files): SourceText[] {
  return [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, text]) => new SourceText(file, text));
}

/** The whole result of a compilation, as data. */
function answerOf({ gateways, findings, hasErrors, checked }: Compilation): unknown {
  const bundles = gateways.flatMap(({ bundle, exposure }) =>
    bundle === null ? [] : [{ bundle, exposure: exposure() }],
  );
  return JSON.parse(
    JSON.stringify({
      gateways: gateways.map(({ object, bundle }) => ({ object, bundle })),
      output: listBundleFiles(bundles),
      findings,
      hasErrors,
      checked,
    }),
  );
}

test.each([1, 2, 3, 4].slice(0, runs(4)))(
  `an incremental compilation equals a fresh compilation after each of ${STEPS} random edits, seed %i`,
  { timeout: 600_000 },
  seed => {
    const random = seeded(seed);
    const compiler = createCompiler();
    let files = FILES;
    let purpose: CompileOptions['purpose'] = 'check';
    let revision = 'r0';
    let built = 0;
    for (let step = 0; step < STEPS; step += 1) {
      files = random.int(8) === 0 ? FILES : edited(files, random);
      if (random.int(20) === 0) purpose = purpose === 'check' ? 'build' : 'check';
      if (random.int(10) === 0) revision = `r${step}`;
      const options = { purpose, origin: originOf(revision) };
      const fresh = FRESH_COMPILER.compile(FRESH_COMPILER.readTexts(textsOf(files)), options);
      const incremental = compiler.compile(compiler.readTexts(textsOf(files)), options);
      expect(answerOf(incremental), `step ${step}`).toEqual(answerOf(fresh));
      built += fresh.gateways.filter(({ bundle }) => bundle !== null).length;
    }
    // Otherwise bundles would be equal by being absent.
    expect(built).toBeGreaterThan(20);
  },
);
