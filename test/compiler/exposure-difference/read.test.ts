/** `lintel diff` reads exposures from files. Documents with any other content must not make it throw an error. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffExposures, readExposures } from '#compiler';
import {
  DIFFERENCE_FORMATS,
  DIFFERENCE_RENDERERS,
} from '../../../compiler/analysis/exposure/difference/render/index.ts';
import { EXPOSURE_RENDERERS } from '../../../compiler/analysis/exposure/render/index.ts';
import { runs } from '../../support/runs.ts';
import { EVERYTHING, compileExposure as registryOf } from '../exposure/registry/sample.ts';
import { ANONYMOUS, exposures, OFFERS, SPECS } from '../exposure/sample.ts';

const GATEWAYS = exposures(`${SPECS}---\n${ANONYMOUS}`, OFFERS);
const REGISTRY = registryOf(EVERYTHING);
const REPORT = JSON.parse(EXPOSURE_RENDERERS.json({ gateways: GATEWAYS, registries: [REGISTRY] }, { color: false }));

test('lintel diff reads exposure files of `lintel build` and reports of `lintel exposure` unchanged', () => {
  expect(readExposures(REPORT)).toEqual([...GATEWAYS, REGISTRY]);
  for (const one of [...GATEWAYS, REGISTRY]) expect(readExposures(structuredClone(one))).toEqual([one]);
});

test.each([
  ['null', null],
  ['a text', 'exposure'],
  ['another object', { apiVersion: 'v1', kind: 'Service' }],
  ['a report of another version', { ...REPORT, formatVersion: 2 }],
  ['a gateway without tools', { ...GATEWAYS[0], tools: undefined }],
  ['a report with an empty gateway', { ...REPORT, gateways: [{}] }],
])('lintel diff does not read %s as an exposure file', (_, value) => {
  expect(readExposures(value)).toBeUndefined();
});

/** The path of every member of a document. */
function pathsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (value === null || typeof value !== 'object') return [path];
  return [path, ...Object.entries(value).flatMap(([name, child]) => pathsOf(child, [...path, name]))];
}

function replaced(document: unknown, path: readonly string[], by: unknown): unknown {
  const copy = structuredClone(document) as Record<string, unknown>;
  let at: Record<string, unknown> = copy;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
  const last = path.at(-1);
  if (last === undefined) return by;
  if (Array.isArray(at) && by === undefined) at.splice(Number(last), 1);
  else if (by === undefined) delete at[last];
  else at[last] = by;
  return copy;
}

describe('a damaged exposure', () => {
  const damaged = fc
    .record({
      path: fc.constantFrom(...pathsOf(REPORT)),
      by: fc.constantFrom<unknown>(undefined, null, 1, 'x', [], {}, true, [null], { type: 'some' }),
    })
    .map(({ path, by }) => replaced(REPORT, path, by));

  test('lintel diff refuses a damaged exposure file, or compares and shows the file without an exception', () => {
    let read = 0;
    fc.assert(
      fc.property(damaged, document => {
        const found = readExposures(document);
        if (found === undefined) return;
        read += 1;
        for (const [before, after] of [[found, GATEWAYS] as const, [GATEWAYS, found] as const]) {
          const differences = diffExposures(before, after);
          for (const format of DIFFERENCE_FORMATS) DIFFERENCE_RENDERERS[format](differences, { color: false });
        }
      }),
      { numRuns: runs(1500), seed: 7 },
    );
    expect(read).toBeGreaterThan(runs(50));
  });
});

describe('two random gateways', () => {
  const [eng] = GATEWAYS;
  if (eng === undefined) throw new Error('the sample has no gateway');
  const who = fc.constantFrom(...eng.tools.map(({ reach }) => reach), ...eng.tools.map(({ direct }) => direct));
  const tool = fc
    .record({
      tool: fc.constantFrom(...eng.tools),
      direct: who,
      reach: who,
      digest: fc.constantFrom('sha256:a', 'sha256:b'),
    })
    .map(({ tool, ...own }) => ({ ...tool, ...own }));
  const gateway = fc
    .record({ tools: fc.uniqueArray(tool, { selector: ({ name }) => name }), backends: fc.subarray([...eng.backends]) })
    .map(own => ({ ...eng, ...own }));
  const OPPOSITE = {
    equivalent: 'equivalent',
    wider: 'narrower',
    narrower: 'wider',
    mixed: 'mixed',
    unclassified: 'unclassified',
  } as const;

  test('lintel diff of two exposure files in reverse order has the opposite classification, and equal files have no change', () => {
    fc.assert(
      fc.property(gateway, gateway, (a, b) => {
        const [[forth], [back]] = [diffExposures([a], [b]), diffExposures([b], [a])];
        expect(back?.classification).toBe(OPPOSITE[forth?.classification ?? 'mixed']);
        const content = ({ tools, backends }: typeof a) => [
          tools.toSorted((x, y) => (x.name < y.name ? -1 : 1)),
          backends,
        ];
        if (JSON.stringify(content(a)) === JSON.stringify(content(b))) expect(forth?.change).toBe('none');
        expect(forth?.changes.every(({ name }) => name !== '')).toBe(true);
      }),
      { numRuns: runs(300), seed: 7 },
    );
  });
});
