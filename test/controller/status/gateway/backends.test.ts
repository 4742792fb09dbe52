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
  ['ready on all pods', ['ready', 'ready'], 'ready', ''],
  ['unavailable on all pods', ['unavailable', 'unavailable'], 'unavailable', ''],
  ['unauthenticated on all pods', ['unauthenticated', 'unauthenticated'], 'unauthenticated', ''],
  ['not checked yet by any pod', ['unknown', 'unknown'], 'unknown', ''],
  ['ready, and not checked yet by a new pod', ['ready', 'unknown'], 'ready', ''],
  ['unavailable, and not checked yet by a new pod', ['unknown', 'unavailable'], 'unavailable', ''],
  [
    'unavailable on some pods',
    ['ready', 'unavailable', 'ready'],
    'degraded',
    'serves on 2 of 3 pods; p1 reports unavailable',
  ],
  ['degraded on some pods', ['ready', 'degraded'], 'degraded', ''],
  ['unauthenticated on some pods', ['ready', 'unauthenticated'], 'unauthenticated', ''],
  [
    'degraded on one pod and unavailable on another',
    ['degraded', 'unavailable'],
    'degraded',
    'serves on 1 of 2 pods; p1 reports unavailable',
  ],
])('the gateway status merges what its pods report about a backend: %s', (_, views, status, message) => {
  expect(mergeBackends(pods(...views.map(one => seen(one))), [])).toMatchObject([{ name: 'api', status, message }]);
});

test('the gateway status has the message of the worst pod and the newest check time for a backend', () => {
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
      message: 'serves on 1 of 2 pods; p1 reports unavailable: refused',
      lastHealthCheck: '2026-01-01T00:00:09Z',
      consecutiveFailures: 4,
      mcpRevision: '2025-06-18',
    },
  ]);
});

test.each<[name: string, views: readonly Partial<PodBackend>[], circuit: Partial<DiscoveredBackend>]>([
  ['not configured', [{}, {}], {}],
  ['closed and never opened', [{ circuitBreakerState: 'closed' }], { circuitBreakerState: 'closed' }],
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
    'half-open on one pod and closed on the other',
    [
      { circuitBreakerState: 'half-open', circuitLastChanged: '2026-01-01T00:00:05.000Z' },
      { circuitBreakerState: 'closed' },
    ],
    { circuitBreakerState: 'half-open', circuitLastChanged: '2026-01-01T00:00:05Z' },
  ],
  [
    'open on two pods',
    [
      { circuitBreakerState: 'open', circuitLastChanged: '2026-01-01T00:00:08.000Z' },
      { circuitBreakerState: 'open', circuitLastChanged: '2026-01-01T00:00:05.000Z' },
    ],
    { circuitBreakerState: 'open', circuitLastChanged: '2026-01-01T00:00:08Z' },
  ],
])('the gateway status shows the circuit breaker of a backend that is %s', (_, views, circuit) => {
  const [one] = mergeBackends(pods(...views.map(more => seen('ready', more))), []);
  const { circuitBreakerState, circuitLastChanged } = one as DiscoveredBackend;
  expect({ circuitBreakerState, circuitLastChanged }).toEqual({
    circuitBreakerState: undefined,
    circuitLastChanged: undefined,
    ...circuit,
  });
});

test('the gateway status lists backends by name, including a backend that only one pod reports', () => {
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
    ['the same check time keeps the details', [at(10)], true],
    ['a later check within the interval keeps the details', [at(39)], true],
    ['a check after the interval changes the details', [at(40)], false],
    ['a clock that was put back a little keeps the details', [at(5)], true],
    ['a new message keeps the details', [at(11, { message: 'reset' })], true],
    ['a new status changes the details', [at(11, { status: 'ready' })], false],
    ['a circuit breaker that opened changes the details', [at(11, { circuitBreakerState: 'open' })], false],
    ['a new address changes the details', [at(11, { url: 'https://other.example.com' })], false],
    ['another backend changes the details', [at(11, { name: 'other' })], false],
    ['an additional backend changes the details', [at(11), at(11, { name: 'more' })], false],
    ['a removed backend changes the details', [], false],
  ])('the gateway status has new details of a backend at most once in an interval: %s', (_, now, isKept) => {
    expect(throttleBackends(now, before, 30_000)).toBe(isKept ? before : now);
  });

  test('the gateway status gets new details of backends even if the clock was put back an hour', () => {
    const future = [at(0, { lastHealthCheck: '2026-01-01T01:00:00Z' })];
    const now = [at(0)];
    expect(throttleBackends(now, future, 30_000)).toBe(now);
  });
});
