import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AREAS, areaOf, CODES, type DiagnosticCode } from '../../../compiler/diagnostics/codes.ts';
import { codesPage } from '../../../compiler/diagnostics/codes-page.ts';
import { diagnostic } from '../../../compiler/diagnostics/diagnostic.ts';

const entries = Object.entries(CODES) as [DiagnosticCode, (typeof CODES)[DiagnosticCode]][];
const start = { line: 1, column: 1, offset: 0 };
const place = { file: 'a.yaml', pointer: '', range: { start, end: start } };

test.each(entries)('%s is well formed', (code, entry) => {
  expect(code).toMatch(/^LNT[1-9]\d{3}$/);
  expect(Object.keys(AREAS)).toContain(code.charAt(3));
  expect(Object.keys(entry).sort()).toEqual(['fix', 'meaning', 'name', 'severity', 'since']);
  expect(entry.name).toMatch(/^[a-z]+(-[a-z]+)*$/);
  expect(['error', 'warning', 'hint']).toContain(entry.severity);
  expect(entry.since).toMatch(/^\d+\.\d+\.\d+$/);
  expect(entry.meaning).toMatch(/^[A-Z].*\.$/);
  expect(entry.fix).toMatch(/^[A-Z].*[^.]$/);
});

test('names are unique and codes sorted', () => {
  expect(new Set(entries.map(([, { name }]) => name)).size).toBe(entries.length);
  expect(entries.map(([code]) => code)).toEqual(entries.map(([code]) => code).sort());
});

test('codes, names and severities are permanent', () => {
  expect(entries.map(([code, { name, severity }]) => `${code} ${name} ${severity}`)).toEqual([
    'LNT1001 yaml-syntax error',
    'LNT1002 duplicate-key error',
    'LNT1003 unknown-field error',
    'LNT1004 wrong-type error',
    'LNT1006 deprecated-api-version warning',
    'LNT1007 unknown-kind error',
    'LNT1008 field-ignored warning',
    'LNT1009 not-supported-yet hint',
    'LNT1010 missing-field error',
    'LNT1011 not-in-enum error',
    'LNT1012 pattern-mismatch error',
    'LNT1013 out-of-bounds error',
    'LNT1014 invalid-format error',
    'LNT1015 duplicate-item error',
    'LNT1016 deprecated-field warning',
    'LNT1017 input-too-large error',
    'LNT1018 unreadable-input error',
    'LNT1019 invalid-metadata error',
    'LNT2001 unresolved-reference error',
    'LNT2004 unverifiable-reference hint',
    'LNT2005 missing-key error',
    'LNT2006 duplicate-object error',
    'LNT2007 no-backends error',
    'LNT2008 duplicate-backend error',
    'LNT3010 priority-order-missing error',
    'LNT3011 manual-overrides-missing error',
    'LNT3012 unknown-workload error',
    'LNT3013 duplicate-workload error',
    'LNT3014 visibility-entry-missing error',
    'LNT6010 blocked-address error',
    'LNT6011 invalid-url error',
  ]);
});

test('the register cannot be changed', () => {
  expect(Object.isFrozen(CODES)).toBe(true);
});

test('the area of a code is its first digit', () => {
  expect(['LNT1001', 'LNT2001', 'LNT3010', 'LNT6010'].map(code => areaOf(code as DiagnosticCode))).toEqual([
    'input',
    'references',
    'aggregation',
    'outgoing connections',
  ]);
});

test('CODES.md is what the register says', () => {
  expect(readFileSync('compiler/diagnostics/CODES.md', 'utf8')).toBe(codesPage());
  for (const [code] of entries) expect(codesPage()).toContain(`\n### ${code} ${CODES[code].name}\n`);
});

test('a finding knows what its code means', () => {
  expect(diagnostic('LNT1003', place, 'm')).toEqual({
    code: 'LNT1003',
    name: 'unknown-field',
    severity: 'error',
    message: 'm',
    ...place,
    help: 'Correct the spelling or remove the field',
  });
  const object = { apiVersion: 'v1', kind: 'Secret', namespace: 'n', name: 's' };
  const related = [{ message: 'r', file: 'b.yaml', range: place.range }];
  expect(diagnostic('LNT2007', { ...place, object }, 'm', { severity: 'hint', fix: 'f', related })).toEqual({
    code: 'LNT2007',
    name: 'no-backends',
    severity: 'hint',
    message: 'm',
    object,
    ...place,
    related,
    fix: 'f',
  });
});

test('a code that is not in the register does not compile', () => {
  // @ts-expect-error LNT9999 is in no register
  expect(() => diagnostic('LNT9999', place, 'm')).toThrow(TypeError);
});
