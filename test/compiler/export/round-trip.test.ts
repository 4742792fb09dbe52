/** What goes through a program comes out with the same meaning. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportProgram } from '../../../compiler/export/program.ts';
import { typeErrors } from '../../support/type-check.ts';
import { findingsOf, goldenInputs, meaningOf, roundTrip, sourcesOf } from './round-trip.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');

const examples = readdirSync(EXAMPLES)
  .sort()
  .map(name => ({ name, sources: sourcesOf(EXAMPLES, name) }))
  .filter(({ sources }) => sources.documents.some(({ value }) => JSON.stringify(value).includes('lintel.dev/v1')));

const cases = [...examples.map(one => ({ ...one, catalog: undefined })), ...goldenInputs()];

describe('round trips', () => {
  test('there is something to go round', () => {
    expect(examples.map(({ name }) => name)).toEqual(['ci', 'flux', 'identity', 'policies', 'quickstart']);
    expect(cases.length).toBeGreaterThan(20);
  });

  test.each(cases)('$name', ({ name, sources, catalog }) => {
    const { before, after } = roundTrip(sources, name, catalog);
    expect(meaningOf(after)).toEqual(meaningOf(before));
    const known = findingsOf(before);
    expect(findingsOf(after).filter(finding => !known.includes(finding))).toEqual([]);
  });

  test('programs have no type errors', () => {
    const texts = cases.map(({ name, sources }) => [`${name}.ts`, exportProgram(sources.documents, name).text]);
    const ofPrograms = typeErrors(Object.fromEntries(texts)).filter(error => !error.startsWith('/'));
    expect(ofPrograms).toEqual([]);
  });
});
