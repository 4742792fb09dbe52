/** `lintel diff` never calls a raised or removed rate limit equivalent, because callers can then call more. */
import { expect, test } from 'vitest';
import { diffExposure } from '#compiler';
import { type Design, exposureOf, OFFER, OPPOSITE } from './access-design.ts';

const LIMIT = { maxTokens: 10, refillPeriod: '1m' };

const limits = (rateLimiting?: object): Design => ({
  replicas: 1,
  config: rateLimiting === undefined ? {} : { rateLimiting },
});
const shared = (bucket: object): Design => limits({ shared: bucket });
const ofTools = (...tools: readonly object[]): Design => limits({ shared: LIMIT, tools });

test.each<[what: string, before: Design, after: Design, classification: 'wider' | 'narrower' | 'mixed']>([
  ['more calls', shared(LIMIT), shared({ ...LIMIT, maxTokens: 20 }), 'wider'],
  ['calls that are permitted again sooner', shared(LIMIT), shared({ ...LIMIT, refillPeriod: '30s' }), 'wider'],
  ['more calls, permitted again later', shared(LIMIT), shared({ maxTokens: 20, refillPeriod: '2m' }), 'mixed'],
  ['no limits', shared(LIMIT), limits(), 'wider'],
  ['no limit of one tool', ofTools({ name: 'docs_read', shared: LIMIT }), ofTools(), 'wider'],
  [
    'a limit of another tool',
    ofTools({ name: 'docs_read', shared: LIMIT }),
    ofTools({ name: 'docs_write', shared: LIMIT }),
    'mixed',
  ],
])('%s', (_, before, after, classification) => {
  const [was, is] = [exposureOf(before, OFFER), exposureOf(after, OFFER)];
  expect(diffExposure(was, is).classification).toBe(classification);
  expect(diffExposure(is, was).classification).toBe(OPPOSITE[classification]);
  expect(diffExposure(was, was).classification).toBe('equivalent');
});

test('lintel diff calls a change wider if a telemetry collector newly gets spans or metrics, or gets spans of more requests', () => {
  const collector = (settings: object): Design => ({
    config: { telemetry: { endpoint: 'https://otel.example.com', ...settings } },
  });
  const both = { tracingEnabled: true, metricsEnabled: true, samplingRate: '0.1' };
  for (const less of [
    { samplingRate: '0' },
    { samplingRate: '0.05' },
    { tracingEnabled: false },
    { metricsEnabled: false },
  ]) {
    const [was, is] = [exposureOf(collector({ ...both, ...less }), OFFER), exposureOf(collector(both), OFFER)];
    expect(diffExposure(was, is).classification).toBe('wider');
    expect(diffExposure(is, was).classification).toBe('narrower');
  }
});
