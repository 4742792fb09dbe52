/** Which sessions with a backend are kept for the next stateless call, and for how long. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BackendSession } from '../../../runtime/gateway/backends/backend.ts';
import { GATEWAY_SENDER, NO_HEADERS, type Sender } from '../../../runtime/gateway/backends/sender.ts';
import { type PooledSession, SessionPool } from '../../../runtime/gateway/connections/session-pool.ts';
import type { StatelessCaller } from '../../../runtime/mcp/stateless/handler.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const senderOf = (key: string, passed = NO_HEADERS): Sender => ({
  ...GATEWAY_SENDER,
  identity: { caller: undefined, key },
  passed,
});
const somebody = senderOf('somebody');

const callerWith = (capabilitiesText: string) => ({ capabilitiesText, capabilities: {} }) as StatelessCaller;
const ann = callerWith('{}');
const bob = callerWith('{"sampling":{}}');

function poolOf() {
  const count = { opened: 0, ended: 0 };
  const pool = new SessionPool({
    openSession: () => {
      count.opened++;
      return { receive() {} } as unknown as BackendSession;
    },
    endSession: async () => {
      count.ended++;
    },
  });
  /** A number of concurrent calls, which then all end with a response. */
  const calls = (number: number, caller = ann, sender = somebody): void => {
    const leases: PooledSession[] = Array.from({ length: number }, () => pool.take(caller, sender));
    for (const lease of leases) pool.giveBack(lease);
  };
  return { pool, calls, count };
}

test('the session pool reuses 300 sessions when 300 concurrent calls come three times', () => {
  const { calls, count } = poolOf();
  for (let round = 0; round < 3; round++) calls(300);
  expect(count).toEqual({ opened: 300, ended: 0 });
});

test('the session pool keeps at most 512 unused sessions', () => {
  const { calls, count } = poolOf();
  calls(600);
  expect(count).toEqual({ opened: 600, ended: 88 });
});

test('the session pool gives a call no session that was opened for a client with other capabilities', () => {
  const { calls, count } = poolOf();
  calls(1);
  calls(1, bob);
  calls(1);
  calls(1, bob);
  expect(count).toEqual({ opened: 2, ended: 0 });
});

test('the session pool gives a call no session that was opened for another caller or with other forwarded headers', () => {
  const { calls, count } = poolOf();
  const senders = [
    somebody,
    senderOf('other'),
    senderOf('somebody', { 'x-tenant': 'a' }),
    senderOf('somebody', { 'x-tenant': 'b' }),
  ];
  for (let round = 0; round < 2; round++) for (const sender of senders) calls(1, ann, sender);
  expect(count).toEqual({ opened: 4, ended: 0 });
});

test('a pooled session uses the identity and the headers of the latest request that took the session from the pool', () => {
  let current: (() => Sender) | undefined;
  const pool = new SessionPool({
    openSession: (_client, sender) => {
      current = sender;
      return { receive() {} } as unknown as BackendSession;
    },
    endSession: async () => {},
  });
  const renewed = senderOf('somebody');
  pool.giveBack(pool.take(ann, somebody));
  expect(current?.()).toBe(somebody);
  pool.take(ann, renewed);
  expect(current?.()).toBe(renewed);
});

test('the session pool ends a session that was unused for a minute', () => {
  const { calls, count } = poolOf();
  calls(3);
  vi.advanceTimersByTime(45_000);
  calls(1);
  expect(count).toEqual({ opened: 3, ended: 0 });
  vi.advanceTimersByTime(45_000);
  expect(count.ended).toBe(2);
  vi.advanceTimersByTime(45_000);
  expect(count.ended).toBe(3);
});

test('a session pool that is closed ends unused sessions at once, and a session in use when its call ends', () => {
  const { pool, calls, count } = poolOf();
  const lease = pool.take(ann, somebody);
  calls(2);
  pool.close();
  expect(count.ended).toBe(2);
  pool.giveBack(lease);
  expect(count.ended).toBe(3);
});
