import { describe, expect, onTestFinished, test } from 'vitest';
import { SessionStore } from '../../../runtime/mcp/sessions.ts';
import { call, initialize, open, startGateway } from './fake-gateway.ts';

interface Clock {
  ms: number;
}

function storeAt(clock: Clock, closed: string[] = []): SessionStore<string> {
  const onClose = ({ payload }: { payload: string }): void => void closed.push(payload);
  return new SessionStore<string>({ ttlMs: 1000, maxSessions: 2, now: () => clock.ms, onClose });
}

/** A session with its own holder, or with the given one. */
function createIn(store: SessionStore<string>, payload: string, protocolVersion: string, holder: string = payload) {
  store.reserve(holder);
  return store.create(payload, protocolVersion, holder);
}

test('a session expires when it was not used for its lifetime', () => {
  const clock = { ms: 0 };
  const closed: string[] = [];
  const store = storeAt(clock, closed);
  const { id } = createIn(store, 'a', '2025-11-25');
  clock.ms = 999;
  expect(store.touch(id)?.payload).toBe('a');
  clock.ms = 1998;
  expect(store.get(id)?.payload).toBe('a');
  clock.ms = 1999;
  expect(store.get(id)).toBeUndefined();
  expect(closed).toEqual(['a']);
  store.closeAll();
});

test('a session does not expire while a request runs in it, and its lifetime starts again when the request ends', () => {
  const clock = { ms: 0 };
  const store = storeAt(clock);
  const session = createIn(store, 'a', '2025-11-25');
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

test('at the session limit, the gateway ends expired sessions before it refuses a new session', () => {
  const clock = { ms: 0 };
  const closed: string[] = [];
  const store = storeAt(clock, closed);
  const opened = ['a', 'b'].map(name => createIn(store, name, '2025-11-25'));
  for (const session of opened) session.begin('1')();
  expect(() => store.reserve('c')).toThrow(expect.objectContaining({ httpStatus: 503 }));
  clock.ms = 1000;
  store.reserve('c');
  store.reserve('d');
  expect(closed).toEqual(['a', 'b']);
  store.closeAll();
});

test('the session store closes each session once, even if it is deleted twice or the store is closed afterwards', () => {
  const closed: string[] = [];
  const store = storeAt({ ms: 0 }, closed);
  const { id } = createIn(store, 'a', '2025-11-25');
  createIn(store, 'b', '2025-11-25');
  expect(store.delete(id)).toBe(true);
  expect(store.delete(id)).toBe(false);
  store.closeAll();
  expect(closed).toEqual(['a', 'b']);
});

test('the gateway answers 404 for an expired session, and a session with an open stream does not expire', async () => {
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

describe('the session limit', () => {
  function fill(names: readonly string[], holderOf = (name: string) => name.slice(0, 1)) {
    const clock = { ms: 0 };
    const closed: string[] = [];
    const onClose = ({ payload }: { payload: string }): void => void closed.push(payload);
    const store = new SessionStore<string>({ ttlMs: 1000, maxSessions: 4, now: () => clock.ms, onClose });
    onTestFinished(() => store.closeAll());
    const sessions = names.map(name => {
      clock.ms++;
      return createIn(store, name, '2025-11-25', holderOf(name));
    });
    return { store, sessions, closed };
  }
  const REFUSED = expect.objectContaining({ httpStatus: 503 });

  test('a new session of a caller who has half of all sessions replaces the longest idle session of this caller', () => {
    const { store, closed } = fill(['b1', 'a1', 'a2']);
    store.reserve('a');
    expect(closed).toEqual(['a1']);
  });

  test('a new session of a caller who has half of all sessions replaces no session of another caller', () => {
    const { store, sessions, closed } = fill(['b1', 'b2', 'a1', 'a2']);
    for (const session of sessions.slice(2)) session.begin('1')();
    expect(() => store.reserve('a')).toThrow(REFUSED);
    expect(closed).toEqual([]);
  });

  test('a new session of a caller who has less than half of all sessions replaces the longest idle session of any caller', () => {
    const { store, closed } = fill(['b1', 'a1', 'a2', 'b2']);
    store.reserve('c');
    expect(closed).toEqual(['b1']);
  });

  test('a new session replaces no session in which a client has ever sent a request', () => {
    const { store, sessions, closed } = fill(['a1', 'a2', 'b1', 'b2']);
    for (const session of sessions.slice(0, 3)) session.begin('1')();
    store.reserve('c');
    expect(closed).toEqual(['b2']);
    expect(() => store.reserve('d')).toThrow(REFUSED);
  });

  test('the gateway accepts a session that it refused at the session limit once a reserved session is released', () => {
    const { store, sessions } = fill(['a1', 'b1', 'b2']);
    for (const session of sessions) session.begin('1')();
    store.reserve('c');
    expect(() => store.reserve('d')).toThrow(REFUSED);
    store.release('c');
    store.reserve('d');
  });
});
