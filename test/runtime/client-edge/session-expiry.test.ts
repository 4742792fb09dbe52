import { expect, test } from 'vitest';
import { SessionStore } from '../../../runtime/mcp/sessions.ts';
import { call, initialize, open, startGateway } from './fake-gateway.ts';

interface Clock {
  ms: number;
}

function storeAt(clock: Clock, closed: string[] = []): SessionStore<string> {
  const onClose = ({ payload }: { payload: string }): void => void closed.push(payload);
  return new SessionStore<string>({ ttlMs: 1000, maxSessions: 2, now: () => clock.ms, onClose });
}

test('a session lives as long as it is used', () => {
  const clock = { ms: 0 };
  const closed: string[] = [];
  const store = storeAt(clock, closed);
  const { id } = store.create('a', '2025-11-25');
  clock.ms = 999;
  expect(store.touch(id)?.payload).toBe('a');
  clock.ms = 1998;
  expect(store.get(id)?.payload).toBe('a');
  clock.ms = 1999;
  expect(store.get(id)).toBeUndefined();
  expect(closed).toEqual(['a']);
  store.closeAll();
});

test('a running request keeps its session, and its end starts the lifetime anew', () => {
  const clock = { ms: 0 };
  const store = storeAt(clock);
  const session = store.create('a', '2025-11-25');
  const end = session.begin('1');
  clock.ms = 5000;
  store.sweep();
  expect(store.size).toBe(1);
  end();
  clock.ms = 5999;
  store.sweep();
  expect(store.size).toBe(1);
  clock.ms = 6000;
  store.sweep();
  expect(store.size).toBe(0);
  store.closeAll();
});

test('expired sessions make room before a new one is refused', () => {
  const clock = { ms: 0 };
  const closed: string[] = [];
  const store = storeAt(clock, closed);
  store.create('a', '2025-11-25');
  store.create('b', '2025-11-25');
  expect(() => store.ensureRoom(1)).toThrow(expect.objectContaining({ httpStatus: 503 }));
  clock.ms = 1000;
  store.ensureRoom(2);
  expect(closed).toEqual(['a', 'b']);
  store.closeAll();
});

test('closing everything closes each session once', () => {
  const closed: string[] = [];
  const store = storeAt({ ms: 0 }, closed);
  const { id } = store.create('a', '2025-11-25');
  store.create('b', '2025-11-25');
  expect(store.delete(id)).toBe(true);
  expect(store.delete(id)).toBe(false);
  store.closeAll();
  expect(closed).toEqual(['a', 'b']);
});

test('over HTTP: an expired session is 404, one with an open stream does not expire', async () => {
  const clock = { ms: 0 };
  const { url } = await startGateway({}, { ttlMs: 1000, now: () => clock.ms });
  const idle = await initialize(url);
  const listening = await initialize(url);
  const stream = await open(url, 'GET', { Accept: 'text/event-stream', 'Mcp-Session-Id': listening });
  clock.ms = 1000;
  expect(await call(url, idle, 'ping')).toMatchObject({ status: 404 });
  expect(await call(url, listening, 'ping')).toMatchObject({ status: 200 });
  expect(stream.destroyed).toBe(false);
});
