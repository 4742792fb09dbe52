import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Metric } from '../../../runtime/observe/metrics/metric.ts';
import {
  formatPrometheus,
  OPEN_METRICS_TYPE,
  openMetricsText,
  PROMETHEUS_TYPE,
  renderMetrics,
} from '../../../runtime/observe/metrics/prometheus-text.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { readPrometheus } from '../../support/prometheus.ts';

test('metrics are written in the text format of Prometheus', () => {
  const text = formatPrometheus([
    { name: 'a', type: 'counter', help: 'Things of a.', samples: [{ labels: {}, value: 3 }] },
    {
      name: 'b',
      type: 'gauge',
      help: 'A \\ and\na line.',
      samples: [
        { labels: { path: 'C:\\x', said: 'a "b"\nc' }, value: 0.5 },
        { labels: { path: '' }, value: Number.POSITIVE_INFINITY },
      ],
    },
    { name: 'c', type: 'gauge', help: 'None yet.', samples: [] },
  ]);
  expect(text).toBe(
    [
      '# HELP a_total Things of a.',
      '# TYPE a_total counter',
      'a_total 3',
      '# HELP b A \\\\ and\\na line.',
      '# TYPE b gauge',
      'b{path="C:\\\\x",said="a \\"b\\"\\nc"} 0.5',
      'b{path=""} +Inf',
      '# HELP c None yet.',
      '# TYPE c gauge',
      '',
    ].join('\n'),
  );
});

const TEXT = fc.string({ unit: anyCharacter });
const LABELS = fc.dictionary(fc.constantFrom('a', 'b_c', 'D9'), TEXT, { noNullPrototype: true });
const SAMPLES = fc.array(fc.record({ labels: LABELS, value: fc.double({ noDefaultInfinity: false }) }));

test('any labels, values and help texts of metrics can be read back', () => {
  fc.assert(
    fc.property(SAMPLES, TEXT, (samples, help) => {
      const read = readPrometheus(formatPrometheus([{ name: 'm', type: 'gauge', help, samples }])).get('m');
      // The format has no negative zero.
      const values = samples.map(({ labels, value }) => ({ labels, value: value + 0 }));
      expect(read).toEqual({ type: 'gauge', help, samples: values });
    }),
  );
});

const HISTOGRAM: Metric = {
  name: 'mcp.x.duration',
  unit: 's',
  type: 'histogram',
  help: 'How "long".',
  samples: [
    {
      labels: { 'mcp.method.name': 'ping' },
      bounds: [0.5, 1],
      counts: [1, 0, 2],
      sum: 7.25,
      count: 3,
      exemplars: [undefined, undefined, { traceId: 'a1', spanId: 'b2', value: 4, at: 1_500 }],
    },
  ],
};

test('a histogram on the metrics page has cumulative buckets', () => {
  expect(formatPrometheus([HISTOGRAM])).toBe(
    [
      '# HELP mcp_x_duration_seconds How "long".',
      '# TYPE mcp_x_duration_seconds histogram',
      'mcp_x_duration_seconds_bucket{mcp_method_name="ping",le="0.5"} 1',
      'mcp_x_duration_seconds_bucket{mcp_method_name="ping",le="1"} 1',
      'mcp_x_duration_seconds_bucket{mcp_method_name="ping",le="+Inf"} 3',
      'mcp_x_duration_seconds_sum{mcp_method_name="ping"} 7.25',
      'mcp_x_duration_seconds_count{mcp_method_name="ping"} 3',
      '',
    ].join('\n'),
  );
});

test('OpenMetrics text has units, exemplars and a line that ends it, and names a counter without _total in its HELP and TYPE lines', () => {
  const counter: Metric = { name: 'a', type: 'counter', help: 'Things.', samples: [{ labels: {}, value: 3 }] };
  expect(openMetricsText([counter, HISTOGRAM])).toBe(
    [
      '# HELP a Things.',
      '# TYPE a counter',
      'a_total 3',
      '# HELP mcp_x_duration_seconds How \\"long\\".',
      '# TYPE mcp_x_duration_seconds histogram',
      '# UNIT mcp_x_duration_seconds seconds',
      'mcp_x_duration_seconds_bucket{mcp_method_name="ping",le="0.5"} 1',
      'mcp_x_duration_seconds_bucket{mcp_method_name="ping",le="1.0"} 1',
      'mcp_x_duration_seconds_bucket{mcp_method_name="ping",le="+Inf"} 3 # {trace_id="a1",span_id="b2"} 4 1.5',
      'mcp_x_duration_seconds_sum{mcp_method_name="ping"} 7.25',
      'mcp_x_duration_seconds_count{mcp_method_name="ping"} 3',
      '# EOF',
      '',
    ].join('\n'),
  );
});

test.each([
  ['text/plain', PROMETHEUS_TYPE],
  [undefined, PROMETHEUS_TYPE],
  ['application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5', OPEN_METRICS_TYPE],
])('a scraper that accepts %s gets %s', (accept, type) => {
  expect(renderMetrics([], accept).type).toBe(type);
});
