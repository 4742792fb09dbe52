import { describe, expect, test } from 'vitest';
import type { DiscoveredBackend } from '#schemas';
import type { PodBackend } from '../../../../controller/pods/index.ts';
import { mergeBackends, throttleBackends } from '../../../../controller/status/gateway/backends.ts';

const CIRCUIT_OFF = { circuitBreakerState: null, circuitLastChanged: null };

function seen(status: PodBackend['status'], more: Partial<PodBackend> = {}): PodBackend {
  const nothing = { message: '', lastHealthCheck: null, consecutiveFailures: 0, mcpRevision: null, ...CIRCUIT_OFF };
  return { ...nothing, name: 'api', status, ...more };
}

const pods = (...views: readonly PodBackend[]) =>
  views.map((backend, index) => ({ name: `p${index}`, backends: [backend] }));

test.each<[name: string, views: readonly PodBackend['status'][], status: string, message: string]>([
  ['all agree', ['ready', 'ready'], 'ready', ''],
  ['all away', ['unavailable', 'unavailable'], 'unavailable', ''],
  ['all want credentials', ['unauthenticated', 'unauthenticated'], 'unauthenticated', ''],
  ['none has checked it', ['unknown', 'unknown'], 'unknown', ''],
  ['a new pod has no say', ['ready', 'unknown'], 'ready', ''],
  ['nor when it is away', ['unknown', 'unavailable'], 'unavailable', ''],
  ['away for some', ['ready', 'unavailable', 'ready'], 'degraded', 'serves on 2 of 3 pods; p1 says unavailable'],
  ['slow for some', ['ready', 'degraded'], 'degraded', ''],
  ['credentials for some', ['ready', 'unauthenticated'], 'unauthenticated', ''],
  ['slow here, away there', ['degraded', 'unavailable'], 'degraded', 'serves on 1 of 2 pods; p1 says unavailable'],
])('%s', (_, views, status, message) => {
  expect(mergeBackends(pods(...views.map(one => seen(one))), [])).toMatchObject([{ name: 'api', status, message }]);
});

test('the words are those of the worst pod, the time is the newest', () => {
  const merged = mergeBackends(
    pods(
      seen('ready', { lastHealthCheck: '2026-01-01T00:00:09.900Z', mcpRevision: '2025-06-18' }),
      seen('unavailable', { lastHealthCheck: '2026-01-01T00:00:01.100Z', message: 'refused', consecutiveFailures: 4 }),
    ),
    [{ name: 'api', url: 'https://api.example.com/mcp', authType: 'header_injection', authConfigRef: 'key' }],
  );
  expect(merged).toEqual([
    {
      name: 'api',
      url: 'https://api.example.com/mcp',
      authType: 'header_injection',
      authConfigRef: 'key',
      status: 'degraded',
      message: 'serves on 1 of 2 pods; p1 says unavailable: refused',
      lastHealthCheck: '2026-01-01T00:00:09Z',
      consecutiveFailures: 4,
      mcpRevision: '2025-06-18',
    },
  ]);
});

test.each<[name: string, views: readonly Partial<PodBackend>[], circuit: Partial<DiscoveredBackend>]>([
  ['off', [{}, {}], {}],
  ['never changed', [{ circuitBreakerState: 'closed' }], { circuitBreakerState: 'closed' }],
  [
    'open on one pod of three',
    [
      { circuitBreakerState: 'closed', circuitLastChanged: '2026-01-01T00:00:09.000Z' },
      { circuitBreakerState: 'open', circuitLastChanged: '2026-01-01T00:00:05.900Z' },
      { circuitBreakerState: 'half-open', circuitLastChanged: '2026-01-01T00:00:07.000Z' },
    ],
    { circuitBreakerState: 'open', circuitLastChanged: '2026-01-01T00:00:05Z' },
  ],
  [
    'half-open on one, closed on the other',
    [
      { circuitBreakerState: 'half-open', circuitLastChanged: '2026-01-01T00:00:05.000Z' },
      { circuitBreakerState: 'closed' },
    ],
    { circuitBreakerState: 'half-open', circuitLastChanged: '2026-01-01T00:00:05Z' },
  ],
  [
    'open on two',
    [
      { circuitBreakerState: 'open', circuitLastChanged: '2026-01-01T00:00:08.000Z' },
      { circuitBreakerState: 'open', circuitLastChanged: '2026-01-01T00:00:05.000Z' },
    ],
    { circuitBreakerState: 'open', circuitLastChanged: '2026-01-01T00:00:08Z' },
  ],
])('a circuit that is %s', (_, views, circuit) => {
  const [one] = mergeBackends(pods(...views.map(more => seen('ready', more))), []);
  const { circuitBreakerState, circuitLastChanged } = one as DiscoveredBackend;
  expect({ circuitBreakerState, circuitLastChanged }).toEqual({
    circuitBreakerState: undefined,
    circuitLastChanged: undefined,
    ...circuit,
  });
});

test('are sorted, and a backend that only one pod has counts', () => {
  const merged = mergeBackends(
    [
      { name: 'p0', backends: [seen('ready', { name: 'b' }), seen('ready', { name: 'a' })] },
      { name: 'p1', backends: [seen('unavailable', { name: 'c' })] },
    ],
    [],
  );
  expect(merged.map(({ name, status }) => [name, status])).toEqual([
    ['a', 'ready'],
    ['b', 'ready'],
    ['c', 'unavailable'],
  ]);
});

describe('details are written once in an interval', () => {
  const at = (second: number, more: Partial<DiscoveredBackend> = {}): DiscoveredBackend => ({
    name: 'api',
    status: 'unavailable',
    message: 'refused',
    consecutiveFailures: second,
    lastHealthCheck: `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`,
    ...more,
  });
  const before = [at(10)];

  test.each<[name: string, now: readonly DiscoveredBackend[], isKept: boolean]>([
    ['the same probe', [at(10)], true],
    ['a later one', [at(39)], true],
    ['an interval later', [at(40)], false],
    ['a clock that was put back a little', [at(5)], true],
    ['other words', [at(11, { message: 'reset' })], true],
    ['another status', [at(11, { status: 'ready' })], false],
    ['a circuit that opened', [at(11, { circuitBreakerState: 'open' })], false],
    ['another address', [at(11, { url: 'https://other.example.com' })], false],
    ['another backend', [at(11, { name: 'other' })], false],
    ['one more', [at(11), at(11, { name: 'more' })], false],
    ['none', [], false],
  ])('%s', (_, now, isKept) => {
    expect(throttleBackends(now, before, 30_000)).toBe(isKept ? before : now);
  });

  test('a clock that was put back an hour does not stop the reports', () => {
    const future = [at(0, { lastHealthCheck: '2026-01-01T01:00:00Z' })];
    const now = [at(0)];
    expect(throttleBackends(now, future, 30_000)).toBe(now);
  });
});
