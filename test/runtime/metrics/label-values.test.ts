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

test('label values of metrics beyond the limit become "other", and the values that came before the limit stay', () => {
  const values = new LabelValues(2);
  expect(['a', 'b', 'c', 'a', 'c'].map(value => values.limit(value))).toEqual(['a', 'b', OTHER, 'a', OTHER]);
  expect(values.overflows).toBe(2);
});

test('the metrics cut long label values at 128 characters', () => {
  expect(new LabelValues().limit('x'.repeat(1_000))).toHaveLength(128);
});

test('the metrics of calls to a hundred thousand tools have no more series than the limit of label values allows', () => {
  const counts = new RequestCounts();
  for (let tool = 0; tool < 100_000; tool++) counts.add({ ...CALL, name: `t${tool}` }, '', SECONDS);
  const series = [...counts.series];
  expect(series).toHaveLength(201);
  const calls = series.map(({ outcomes }) => [...outcomes].reduce((sum, { total }) => sum + total.count, 0));
  expect(calls.reduce((sum, count) => sum + count)).toBe(100_000);
  expect(counts.overflows.get('tool')).toBe(100_000 - 200);
});

test('the number of metric series has a limit in addition to the limit of the values of each label', () => {
  const counts = new RequestCounts(10);
  for (let tool = 0; tool < 100; tool++)
    counts.add({ ...CALL, backend: `b${tool % 50}`, name: `t${tool}` }, '', SECONDS);
  expect([...counts.series].length).toBe(11);
  expect(counts.overflows.get('series')).toBe(90);
});

test('the metrics count all invented methods under one label value, and the errors of peers under at most 51 label values', () => {
  const counts = new RequestCounts();
  for (let at = 0; at < 500; at++) counts.add({ ...CALL, method: `m${at}`, kind: '', name: '' }, String(-at), SECONDS);
  const [series, ...more] = [...counts.series];
  expect([series?.traits.method, more]).toEqual(['_OTHER', []]);
  expect([...(series?.outcomes ?? [])]).toHaveLength(51);
});
