import { expect, test } from 'vitest';
import { CODES, compile, type Diagnostic, readTexts } from '#compiler';
import { exampleSources } from '../../support/code-examples.ts';
import { EXAMPLE_CATALOG } from '../../support/example-catalog.ts';

/** Codes without an example, each with its reason. A code that gets an example must be removed from this list. */
const WITHOUT_EXAMPLE: { readonly [code: string]: string } = {
  LNT1017: 'an example would have to pass a limit, so be megabytes long',
  LNT1018: 'about files that cannot be read, or bytes that are no text',
  LNT1035: 'about a baseline, which is no spec',
  LNT1036: 'about lintel.yaml, which is no spec',
  LNT1050: 'about the tool lock, which is no part of the sources',
  LNT1051: 'about the tool lock, which is no part of the sources',
  LNT1052: 'about the tool lock, which is no part of the sources',
  LNT1060: 'about the GatewaySource, which is no part of the sources',
  LNT1061: 'about the controller, which is no part of the sources',
  LNT7030: 'about a file of tests, which is no part of the sources',
  LNT7031: 'about a file of tests, which is no part of the sources',
  LNT7032: 'about a file of tests, which is no part of the sources',
  LNT7033: 'about a file of tests, which is no part of the sources',
  LNT7034: 'about files of tests, which are no part of the sources',
  LNT8021: 'about a file of entries, which is no spec',
  LNT8022: 'about a file of entries, which is no spec',
  LNT8023: 'about a file of entries, which is no spec',
  LNT8024: 'about a file of entries, which is no spec',
  LNT8031: 'about a file of entries, which is no spec',
  LNT1020: 'about rules that cannot be evaluated, and every rule of ours can be',
  ...Object.fromEntries(
    Object.keys(CODES)
      .filter(code => code >= 'LNT1070' && code <= 'LNT1093')
      .map(code => [code, 'about programs, which are run: each has one in bad-input.test.ts']),
  ),
};

const entries = Object.entries(CODES);

test.each(entries)(
  'the page of %s has a bad and a good example, or this test says why it has none',
  (code, { bad, good }) => {
    const has = [bad, good].map(example => example !== undefined);
    expect(has).toEqual(Object.hasOwn(WITHOUT_EXAMPLE, code) ? [false, false] : [true, true]);
  },
);

test('each code that this test excuses from having examples exists', () => {
  expect(Object.keys(CODES)).toEqual(expect.arrayContaining(Object.keys(WITHOUT_EXAMPLE)));
});

test('the objects around the examples of codes compile without findings', () => {
  expect(findingsOf('')).toEqual([]);
});

test.each(entries.filter(([, { bad }]) => bad !== undefined))(
  'the bad example of %s has a finding with this code, and the good example has neither such a finding nor an error',
  (code, { bad = '', good = '' }) => {
    expect(findingsOf(bad).map(found => found.code)).toContain(code);
    const left = findingsOf(good);
    expect(left.filter(found => found.severity === 'error' || found.code === code)).toEqual([]);
  },
);

function findingsOf(example: string): readonly Diagnostic[] {
  const origin = { compilerVersion: '0.0.0', sourceRevision: null };
  const options = {
    purpose: 'language',
    origin,
    today: '2026-01-01',
    catalog: EXAMPLE_CATALOG,
    target: 'pods',
  } as const;
  return compile(readTexts(exampleSources(example)), options).findings.diagnostics;
}
