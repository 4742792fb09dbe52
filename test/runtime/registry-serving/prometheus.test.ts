import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prometheusText } from '../../../runtime/observe/prometheus.ts';
import { readPrometheus } from '../../support/prometheus.ts';

test('the text', () => {
  const text = prometheusText([
    { name: 'a_total', type: 'counter', help: 'Things of a.', samples: [{ labels: {}, value: 3 }] },
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

const TEXT = fc.string({ unit: 'binary' });
const LABELS = fc.dictionary(fc.constantFrom('a', 'b_c', 'D9'), TEXT, { noNullPrototype: true });
const SAMPLES = fc.array(fc.record({ labels: LABELS, value: fc.double({ noDefaultInfinity: false }) }));

test('whatever is in labels, values and help comes back', () => {
  fc.assert(
    fc.property(SAMPLES, TEXT, (samples, help) => {
      const read = readPrometheus(prometheusText([{ name: 'm', type: 'gauge', help, samples }])).get('m');
      // The format has no negative zero.
      const values = samples.map(({ labels, value }) => ({ labels, value: value + 0 }));
      expect(read).toEqual({ type: 'gauge', help, samples: values });
    }),
  );
});
