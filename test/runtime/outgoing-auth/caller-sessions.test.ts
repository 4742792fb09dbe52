/** Sessions with a stateless backend, one for each caller: which are cached, for how long, and whose token is sent. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BackendSession } from '../../../runtime/gateway/backends/backend.ts';
import { BackendCredentials } from '../../../runtime/gateway/backends/backend-credentials.ts';
import { GATEWAY_SENDER, NO_HEADERS, type Sender } from '../../../runtime/gateway/backends/sender.ts';
import { CallerSessions } from '../../../runtime/gateway/connections/caller-sessions.ts';
import { createLogger } from '../../../runtime/observe/log.ts';
import { backendPlan } from '../../support/gateway.ts';
import { temporaryFolder } from '../../support/process.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const senderOf = (key: string, passed = NO_HEADERS): Sender => ({
  ...GATEWAY_SENDER,
  identity: { caller: undefined, key },
  passed,
});

function sessionsOf() {
  const open = new Map<BackendSession, () => Sender>();
  let opened = 0;
  const sessions = new CallerSessions({
    openSession: sender => {
      opened++;
      const session = {} as BackendSession;
      open.set(session, sender);
      return session;
    },
    endSession: async session => void open.delete(session),
  });
  const call = (sender: Sender): void => sessions.take(sender).end();
  return { sessions, call, open, opened: () => opened };
}

test('requests of one caller with the same forwarded headers share one backend session, whose sender is that of the latest request', () => {
  const { sessions, call, open, opened } = sessionsOf();
  const [ann, renewed] = [senderOf('ann'), senderOf('ann')];
  const { session } = sessions.take(ann);
  expect(open.get(session)?.()).toBe(ann);
  expect(sessions.take(renewed).session).toBe(session);
  expect(open.get(session)?.()).toBe(renewed);
  for (const other of [senderOf('bob'), senderOf('ann', { 'x-tenant': 'a' }), senderOf('ann', { 'x-tenant': 'b' })]) {
    expect(sessions.take(other).session).not.toBe(session);
    call(other);
  }
  expect(opened()).toBe(4);
});

test('the backend session of a caller ends after a minute without a call, and stays open while a call runs', () => {
  const { sessions, call, open } = sessionsOf();
  const use = sessions.take(senderOf('busy'));
  call(senderOf('ann'));
  vi.advanceTimersByTime(45_000);
  call(senderOf('bob'));
  expect(open.size).toBe(3);
  vi.advanceTimersByTime(45_000);
  expect(open.size).toBe(2);
  vi.advanceTimersByTime(45_000);
  expect([...open.keys()]).toEqual([use.session]);
  use.end();
  vi.advanceTimersByTime(90_000);
  expect(open.size).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('the oldest backend sessions of callers without a running call end when there are more than 1,000', () => {
  const { sessions, call, open } = sessionsOf();
  const use = sessions.take(senderOf('busy'));
  for (let number = 0; number < 1_100; number++) call(senderOf(`caller ${number}`));
  expect(open.size).toBe(1_000);
  expect(open.has(use.session)).toBe(true);
  const left = [...open.values()].map(sender => sender().identity.key);
  expect(left).toContain('caller 1099');
  expect(left).not.toContain('caller 0');
});

test('a backend session of a caller that is closed during calls ends with the last of these calls', () => {
  const { sessions, call, open } = sessionsOf();
  const uses = [sessions.take(senderOf('busy')), sessions.take(senderOf('busy'))];
  call(senderOf('ann'));
  sessions.close();
  expect(open.size).toBe(1);
  uses[0]?.end();
  expect(open.size).toBe(1);
  uses[1]?.end();
  expect(open.size).toBe(0);
});

test('the gateway watches the secret files of a backend until its credentials are closed', async () => {
  await using folder = await temporaryFolder({ key: 'k-1' });
  const from = { env: null, file: folder.file('key') };
  const headers = [{ name: 'x-key', value: { type: 'secret', from } }] as const;
  const plan = backendPlan('a', 'http://127.0.0.1:1/mcp', { headers });
  const credentials = await BackendCredentials.open(plan, [], createLogger('silent'));
  expect(vi.getTimerCount()).toBe(1);
  await credentials.close();
  expect(vi.getTimerCount()).toBe(0);
});
