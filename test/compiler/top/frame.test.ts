/** What `lintel top` shows for the status of a gateway. */
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { type FrameOptions, type GatewayStatus, parseGatewayStatus, renderFrame } from '../../../compiler/top/index.ts';
import { expectGolden } from '../../support/golden.ts';

/** The frame shows local time, so the test must pass in any time zone. */
const AT = new Date(2026, 0, 2, 3, 4, 5).getTime();

const calls = (more: object = {}) => ({ open: 0, running: 0, waiting: 0, parked: 0, sent: 0, refused: 0, ...more });
const backend = (name: string, more: object = {}) => ({
  name,
  status: 'ready',
  message: '',
  circuitBreakerState: null,
  calls: calls(),
  ...more,
});

function page(more: object = {}): object {
  return {
    gateway: { namespace: 'tools', name: 'assistant' },
    version: '1.2.3',
    healthy: true,
    bundle: { digest: 'sha256:0123456789abcdef0123456789abcdef', refused: null },
    sessions: 12,
    counts: { tools: 40, prompts: 2, resources: 7 },
    streams: { unreadBytes: 3_500_000 },
    backends: [backend('billing'), backend('search')],
    rateLimiting: null,
    ...more,
  };
}

const PLAIN: FrameOptions = { color: false, width: undefined, problem: undefined };

function frame(now: object, before?: object, options: Partial<FrameOptions> = {}): string {
  const look = (of: object, at: number) => ({ status: parseGatewayStatus(of) as GatewayStatus, at });
  const earlier = before && look(before, AT - 2_000);
  return renderFrame(look(now, AT), earlier, { ...PLAIN, ...options }).join('\n');
}

const limited = (more: object = {}) =>
  page({
    rateLimiting: {
      store: 'redis',
      allowed: 5_731,
      rejected: 12,
      failOpen: { active: false, calls: 0, reason: null },
      limits: [
        { scope: 'shared', tool: null, maxTokens: 5_000, refillPeriodMs: 60_000, rejected: 12 },
        { scope: 'per_user', tool: 'search_all', maxTokens: 3, refillPeriodMs: 1_500, rejected: 0 },
      ],
      ...more,
    },
  });

const busy = page({
  healthy: false,
  backends: [
    backend('billing', { circuitBreakerState: 'closed', calls: calls({ open: 2, running: 2, sent: 183 }) }),
    backend('search', {
      status: 'degraded',
      circuitBreakerState: 'half-open',
      message: 'answered in 6012 ms',
      calls: calls({ open: 2_000, running: 64, waiting: 1_930, parked: 6, sent: 40_000, refused: 17 }),
    }),
    backend('wiki', {
      status: 'unavailable',
      circuitBreakerState: 'open',
      message: 'the circuit is open after consecutive failures; the last failure: backend "wiki": answered HTTP 503',
      calls: calls({ sent: 5 }),
    }),
  ],
});

const busyBefore = page({
  backends: [
    backend('billing', { calls: calls({ sent: 100 }) }),
    backend('search', { calls: calls({ sent: 39_000 }) }),
    // The process was replaced, so its counters start at 0.
    backend('wiki', { calls: calls({ sent: 900 }) }),
  ],
});

const FRAMES: { readonly [name: string]: string } = {
  'at rest': frame(page()),
  'busy, next to the look before': frame(busy, busyBefore),
  'on a terminal of 100 columns': frame(busy, busyBefore, { width: 100 }),
  'on a terminal of 80 columns': frame(busy, undefined, { width: 80 }),
  limits: frame(limited(), limited({ allowed: 5_701, rejected: 12 })),
  workflows: frame(
    page({
      workflows: [
        { name: 'release', listed: true, running: 3, asking: 2, waiting: 41 },
        { name: 'tidy_up', listed: false, running: 0, asking: 0, waiting: 0 },
      ],
    }),
  ),
  'limits that let calls through': frame(
    limited({ failOpen: { active: true, calls: 3, reason: 'Redis at redis:6379: no answer in time' } }),
  ),
  'a bundle is refused': frame(
    page({ bundle: { digest: 'sha256:0123456789abcdef', refused: 'bundle.json: no such file' } }),
  ),
  'parts that cannot be used': frame(
    page({
      sessionStorage: { provider: 'redis', ready: false, problem: 'Redis at redis:6379: the server refuses the user' },
      authentication: {
        providers: [
          { name: 'corp', message: 'https://id.example.com does not answer' },
          { name: 'other', message: '' },
        ],
      },
      authServer: { storageProblem: 'Redis at redis:6379: no answer in time' },
      audit: { lastError: 'ENOSPC: no space left on device, write' },
      optimizer: { embeddings: { ready: false, problem: 'HTTP 503' } },
    }),
  ),
  'no newer status': frame(page(), undefined, {
    problem: 'http://127.0.0.1:8081/status cannot be read: nothing listens there',
  }),
  'no backends': frame(page({ backends: [] })),
  'an older runtime': frame({
    gateway: { namespace: 'a', name: 'b' },
    version: '0.0.1',
    healthy: true,
    backends: [{ name: 'x', status: 'ready', message: '' }],
  }),
  'text from outside moves no cursor': frame(
    page({ backends: [backend('x\u001b[2J', { status: 'unavailable', message: 'a\u202eb\nc\u001b]0;t\u0007' })] }),
  ),
};

test('lintel top draws the expected frames', () => {
  const text = Object.entries(FRAMES).map(([name, shown]) => `# ${name}\n\n${shown}\n`);
  expectGolden(join(import.meta.dirname, 'expected'), new Map([['frames.txt', text.join('\n')]]));
});

test('lintel top draws the same text with and without colors', () => {
  const colored = frame(busy, busyBefore, { color: true });
  expect(colored).toContain('\u001b[31munavailable\u001b[39m');
  expect(stripVTControlCharacters(colored)).toBe(frame(busy, busyBefore));
});

test.each<[what: string, page: unknown]>([
  ['null', null],
  ['a list', []],
  ['a text', 'ok'],
  ['an object without gateway fields', { status: 'ok' }],
  ['the status of a registry server', { registry: { namespace: 'a', name: 'b' }, sources: [] }],
  ['backends that are no list', { gateway: { namespace: 'a', name: 'b' }, backends: {} }],
])('lintel top refuses %s as the status of a gateway', (_, page) => {
  expect(parseGatewayStatus(page)).toBeUndefined();
});
