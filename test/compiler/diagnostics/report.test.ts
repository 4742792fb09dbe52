import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Diagnostic } from '#compiler';
import { Report } from '../../../compiler/diagnostics/report.ts';
import { at, findings } from './finding.ts';

const brief = ({ file, range, code, message }: Diagnostic): string =>
  `${file}:${range.start.offset} ${code} ${message}`;

test('findings are sorted by file, offset, code and message, and duplicates removed', () => {
  const found = [
    at('b.yaml', 1),
    at('a.yaml', 10),
    at('a.yaml', 9, 'LNT2001'),
    at('a.yaml', 9, 'LNT1003', 'z'),
    at('a.yaml', 9, 'LNT1003', 'a'),
    at('a.yaml', 10),
    at('B.yaml', 1),
  ];
  const expected = [
    'B.yaml:1 LNT1003 m',
    'a.yaml:9 LNT1003 a',
    'a.yaml:9 LNT1003 z',
    'a.yaml:9 LNT2001 m',
    'a.yaml:10 LNT1003 m',
    'b.yaml:1 LNT1003 m',
  ];
  expect(findings(...found).diagnostics.map(brief)).toEqual(expected);
  fc.assert(
    fc.property(fc.shuffledSubarray(found, { minLength: found.length }), shuffled => {
      expect(findings(...shuffled)).toEqual(findings(...found));
    }),
    { seed: 7, numRuns: 50 },
  );
});

test('a report keeps 20,000 findings of a file, leaves out the least severe and last of them, and counts all', () => {
  const report = new Report();
  report.addAll(Array.from({ length: 19_950 }, (_, offset) => at('a.yaml', offset, 'LNT3020')));
  report.addAll(Array.from({ length: 60 }, (_, index) => at('a.yaml', 30_000 + index, 'LNT1008')));
  report.addAll(Array.from({ length: 5 }, (_, index) => at('a.yaml', 40_000 + index)));
  report.add(at('b.yaml', 0));
  const { diagnostics, counts, omitted } = report.findings();
  expect(counts).toEqual({ error: 6, warning: 60, hint: 19_950 });
  expect(omitted).toEqual([{ file: 'a.yaml', count: 15 }]);
  const offsets = diagnostics.filter(({ file }) => file === 'a.yaml').map(({ range }) => range.start.offset);
  expect(offsets).toEqual([
    ...Array.from({ length: 19_935 }, (_, offset) => offset),
    ...Array.from({ length: 60 }, (_, index) => 30_000 + index),
    ...Array.from({ length: 5 }, (_, index) => 40_000 + index),
  ]);
  expect(diagnostics).toHaveLength(20_001);
});

test('a report of 20,000 findings of a file leaves out none', () => {
  const report = new Report();
  report.addAll(Array.from({ length: 20_000 }, (_, offset) => at('a.yaml', offset)));
  expect(report.findings()).toMatchObject({ omitted: [], counts: { error: 20_000 } });
});

test('a report knows whether it has errors and whether it is complete', () => {
  const report = new Report();
  expect([report.hasErrors, report.complete]).toEqual([false, true]);
  report.add(at('a.yaml', 0, 'LNT1008'));
  expect(report.hasErrors).toBe(false);
  report.add(at('a.yaml', 0));
  report.markIncomplete();
  expect([report.hasErrors, report.complete]).toEqual([true, false]);
});

test('a report of 300,000 findings leaves out 280,000 without an exception', () => {
  const report = new Report();
  report.addAll(Array.from({ length: 300_000 }, (_, offset) => at('a.yaml', offset)));
  expect(report.findings().omitted).toEqual([{ file: 'a.yaml', count: 280_000 }]);
});
