import { expect, test } from 'vitest';
import { CODES, type DiagnosticCode, type Severity } from '#compiler';
import { PROFILE_VERSIONS, parseProfile, resolveSeverity } from '../../../compiler/lint/index.ts';

const entries = Object.entries(CODES) as [DiagnosticCode, (typeof CODES)[DiagnosticCode]][];
const version = '2026.1';

test('the newest version of the profiles knows every code', () => {
  const newest = Object.values(PROFILE_VERSIONS).at(-1);
  expect([...new Set(entries.map(([, { since }]) => since))].filter(since => since !== newest)).toEqual([]);
});

test('the profile strict leaves only deprecations as warnings, and minimal only errors, literal secrets and findings about the check', () => {
  const strictWarnings = entries
    .filter(([code, { severity }]) => resolveSeverity({ name: 'strict', version }, code, severity) === 'warning')
    .map(([code]) => code);
  expect(strictWarnings).toEqual(['LNT1006', 'LNT1016']);
  const minimal = entries.filter(
    ([code, { severity }]) =>
      severity !== 'error' && resolveSeverity({ name: 'minimal', version }, code, severity) !== 'off',
  );
  expect(minimal.map(([code]) => code)).toEqual([
    'LNT1020',
    'LNT1030',
    'LNT1031',
    'LNT1032',
    'LNT1033',
    'LNT1034',
    'LNT1035',
    'LNT6024',
    'LNT6025',
  ]);
});

test.each(['LNT6024', 'LNT6025'] as const)('%s, about a literal secret, is an error in every profile', code => {
  const weights = (['minimal', 'recommended', 'strict'] as const).map(name =>
    resolveSeverity({ name, version }, code, 'warning'),
  );
  expect(weights).toEqual(['error', 'error', 'error']);
});

test('a finding about a literal secret is a hint if its code is newer than the version of the profile', () => {
  const newer = { since: '0.2.0' };
  expect(resolveSeverity({ name: 'recommended', version }, 'LNT6024', 'warning', newer)).toBe('hint');
});

/** Rows of: profile, since, own severity, fixed, resulting severity. */
test.each<['minimal' | 'recommended' | 'strict', string, Severity, 'admission' | undefined, string]>([
  ['recommended', '0.1.0', 'error', undefined, 'error'],
  ['recommended', '0.1.1', 'error', undefined, 'hint'],
  ['recommended', '0.10.0', 'error', undefined, 'hint'],
  ['recommended', '1.0.0', 'warning', undefined, 'hint'],
  ['recommended', '0.0.9', 'warning', undefined, 'warning'],
  ['strict', '0.2.0', 'warning', undefined, 'hint'],
  ['minimal', '0.2.0', 'error', undefined, 'off'],
  ['recommended', '0.2.0', 'error', 'admission', 'error'],
  ['minimal', '0.2.0', 'error', 'admission', 'error'],
])(
  'the profile %s turns a code added in %s with the severity %s (fixed: %s) into the severity %s',
  (name, since, severity, fixed, weight) => {
    const entry = { since, ...(fixed === undefined ? {} : { fixed }) };
    expect(resolveSeverity({ name, version }, 'LNT4004', severity, entry)).toBe(weight);
  },
);

test.each([
  ['recommended', { profile: { name: 'recommended', version }, isPinned: false }],
  ['strict@2026.1', { profile: { name: 'strict', version }, isPinned: true }],
  ['strct', { problem: 'there is no profile "strct", only minimal, recommended, strict', near: 'strict' }],
  ['toString', { problem: 'there is no profile "toString", only minimal, recommended, strict', near: undefined }],
  [
    'recommended@2026.2',
    {
      problem: 'this version of Lintel does not know profiles of version "2026.2", only 2026.1',
      near: 'recommended@2026.1',
    },
  ],
  [
    'minimal@',
    { problem: 'this version of Lintel does not know profiles of version "", only 2026.1', near: 'minimal@2026.1' },
  ],
])('lintel check accepts the profile setting %s, or refuses it and suggests the nearest profile', (text, expected) => {
  expect(parseProfile(text)).toEqual(expected);
});
