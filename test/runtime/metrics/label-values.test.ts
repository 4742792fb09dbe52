import { expect, test } from 'vitest';
import { LabelValues, OTHER } from '../../../runtime/observe/metrics/label-values.ts';
import { RequestCounts, type RequestTraits } from '../../../runtime/observe/requests/request-counts.ts';

const CALL: RequestTraits = {
  method: 'tools/call',
  transport: 'streamable-http',
  revision: '2025-11-25',
  backend: 'b',
  kind: 'tool',
  name: 't',
  isStep: false,
};

const SECONDS = { total: 0.3, atBackend: 0.2 };

test('label values beyond the limit become "other", and known values stay', () => {
  const values = new LabelValues(2);
  expect(['a', 'b', 'c', 'a', 'c'].map(value => values.limit(value))).toEqual(['a', 'b', OTHER, 'a', OTHER]);
  expect(values.overflows).toBe(2);
});

test('long label values are cut at 128 characters', () => {
  expect(new LabelValues().limit('x'.repeat(1_000))).toHaveLength(128);
});

test('a hundred thousand tools make no more metric series than the limits', () => {
  const counts = new RequestCounts();
  for (let tool = 0; tool < 100_000; tool++) counts.add({ ...CALL, name: `t${tool}` }, '', SECONDS);
  const series = [...counts.series];
  expect(series).toHaveLength(201);
  const calls = series.map(({ outcomes }) => [...outcomes].reduce((sum, { total }) => sum + total.count, 0));
  expect(calls.reduce((sum, count) => sum + count)).toBe(100_000);
  expect(counts.overflows.get('tool')).toBe(100_000 - 200);
});

test('metric series have a limit of their own, whichever labels differ', () => {
  const counts = new RequestCounts(10);
  for (let tool = 0; tool < 100; tool++)
    counts.add({ ...CALL, backend: `b${tool % 50}`, name: `t${tool}` }, '', SECONDS);
  expect([...counts.series].length).toBe(11);
  expect(counts.overflows.get('series')).toBe(90);
});

test('invented methods and errors of peers become one label value each', () => {
  const counts = new RequestCounts();
  for (let at = 0; at < 500; at++) counts.add({ ...CALL, method: `m${at}`, kind: '', name: '' }, String(-at), SECONDS);
  const [series, ...more] = [...counts.series];
  expect([series?.traits.method, more]).toEqual(['_OTHER', []]);
  expect([...(series?.outcomes ?? [])]).toHaveLength(51);
});
