import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AREAS, CODES, type DiagnosticCode, FIXED_REASONS, getArea } from '../../../compiler/diagnostics/codes.ts';
import { createDiagnostic } from '../../../compiler/diagnostics/diagnostic.ts';

const entries = Object.entries(CODES) as [DiagnosticCode, (typeof CODES)[DiagnosticCode]][];
const start = { line: 1, column: 1, offset: 0 };
const place = { file: 'a.yaml', pointer: '', range: { start, end: start } };

test.each(entries)('the entry of the code %s is well formed', (code, entry) => {
  expect(code).toMatch(/^LNT[1-9]\d{3}$/);
  expect(Object.keys(AREAS)).toContain(code.charAt(3));
  const members = Object.keys(entry).filter(member => !['check', 'needsLock', 'needsPods', 'fixed'].includes(member));
  expect(members.sort()).toEqual(['bad', 'fix', 'good', 'meaning', 'name', 'severity', 'since']);
  expect(entry.name).toMatch(/^[a-z]+(-[a-z]+)*$/);
  expect(['error', 'warning', 'hint']).toContain(entry.severity);
  if (entry.fixed !== undefined) expect(FIXED_REASONS).toHaveProperty(entry.fixed);
  expect(entry.since).toMatch(/^\d+\.\d+\.\d+$/);
  expect(entry.meaning).toMatch(/^[A-Z].*\.$/);
  expect(entry.fix).toMatch(/^[A-Z].*[^.]$/);
});

test('the names of codes are unique, and the codes are sorted', () => {
  expect(new Set(entries.map(([, { name }]) => name)).size).toBe(entries.length);
  expect(entries.map(([code]) => code)).toEqual(entries.map(([code]) => code).sort());
});

test('the registered codes are frozen', () => {
  expect(Object.isFrozen(CODES)).toBe(true);
});

test('the area of a code follows from the first digit of the code', () => {
  expect(['LNT1001', 'LNT2001', 'LNT3010', 'LNT6010'].map(code => getArea(code as DiagnosticCode))).toEqual([
    'input',
    'references',
    'aggregation',
    'outgoing connections',
  ]);
});

test('CODES.md has a row for each code with a link to its page', () => {
  const index = readFileSync('compiler/diagnostics/CODES.md', 'utf8');
  expect(index.match(/^\| \[.*?\]\(.*?\)/gm)).toEqual(
    entries.map(([code, { name }]) => `| [${code} ${name}](codes/${code}-${name}.md)`),
  );
});

test('a diagnostic has the name, severity and help of its code', () => {
  expect(createDiagnostic('LNT1003', place, 'm')).toEqual({
    code: 'LNT1003',
    name: 'unknown-field',
    severity: 'error',
    message: 'm',
    ...place,
    help: 'Correct the spelling or remove the field',
  });
  const object = { apiVersion: 'v1', kind: 'Secret', namespace: 'n', name: 's' };
  const related = [{ message: 'r', file: 'b.yaml', range: place.range }];
  expect(createDiagnostic('LNT2007', { ...place, object }, 'm', { severity: 'hint', fix: 'f', related })).toEqual({
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

test('createDiagnostic with an unregistered code is a type error and throws', () => {
  // @ts-expect-error LNT9999 does not exist
  expect(() => createDiagnostic('LNT9999', place, 'm')).toThrow(TypeError);
});
