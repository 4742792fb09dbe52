/** When a provider's keys are fetched: in the background, one request at a time, again after failures, and rarely for unknown keys. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLogger } from '#runtime';
import { type FetchedKeys, KeySource } from '../../../../runtime/auth/incoming/key-source.ts';
import type { VerificationKey } from '../../../../runtime/auth/incoming/verification-keys.ts';

const key = (fingerprint: string): VerificationKey => ({
  resolve: (() => Promise.reject(new Error('not asked for'))) as never,
  fingerprint,
  count: 1,
  isWithdrawn: false,
});
const keysOf = (...ids: string[]) => new Map(ids.map(id => [id, key(id)]));

let answers: (FetchedKeys | Error)[];
let fetches: number;
let sources: KeySource[];

beforeEach(() => {
  vi.useFakeTimers();
  answers = [];
  fetches = 0;
  sources = [];
});
afterEach(() => {
  for (const source of sources) source.close();
  vi.useRealTimers();
});

/** A source of keys whose provider sends these responses in turn, and then the last one repeatedly. */
function sourceOf(...scripted: (FetchedKeys | Error)[]): KeySource {
  answers = scripted;
  const source = new KeySource({
    provider: 'corp',
    log: createLogger('silent'),
    now: Date.now,
    fetch: async () => {
      const answer = answers[Math.min(fetches++, answers.length - 1)] as FetchedKeys | Error;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  sources.push(source);
  return source;
}

const AWAY = new Error('away');
const fresh = (...ids: string[]): FetchedKeys => ({ keys: keysOf(...ids), freshMs: undefined });

describe('in the background', () => {
  test.each([
    ['after ten minutes', undefined, 600_000],
    ['when Cache-Control says', 1_800_000, 1_800_000],
    ['after a minute at the earliest', 0, 60_000],
    ['after an hour at the latest', 86_400_000, 3_600_000],
  ])('the gateway fetches the keys of a provider again in the background %s', async (_name, freshMs, expectedMs) => {
    await sourceOf({ keys: keysOf('a'), freshMs }).refresh();
    await vi.advanceTimersByTimeAsync(expectedMs - 1);
    expect(fetches).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(fetches).toBe(2);
  });

  test('the gateway fetches keys again after failures at growing intervals, and known keys stay valid', async () => {
    const source = sourceOf(fresh('a'), AWAY, AWAY, AWAY, AWAY, AWAY, AWAY, AWAY, AWAY, fresh('b'));
    await source.refresh();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(fetches).toBe(2);
    for (const [n, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      expect([await source.find('a'), source.message]).toEqual([expect.anything(), 'away']);
      await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1);
      expect(fetches).toBe(2 + n);
      await vi.advanceTimersByTimeAsync(1);
      expect(fetches).toBe(3 + n);
    }
    expect([source.message, await source.find('b')]).toEqual(['', expect.anything()]);
  });

  test('the gateway fetches no keys in the background after the key source is closed', async () => {
    const source = sourceOf(fresh('a'));
    await source.refresh();
    source.close();
    await vi.advanceTimersByTimeAsync(7_200_000);
    expect(fetches).toBe(1);
  });
});

test('concurrent lookups of a key wait for one fetch of the keys', async () => {
  const source = sourceOf(fresh('a'));
  void source.refresh();
  await Promise.all(Array.from({ length: 50 }, () => source.find('a')));
  expect(fetches).toBe(1);
});

test('a lookup that begins during a fetch of keys waits for a second fetch, which finds a key published in the meantime', async () => {
  const source = sourceOf(fresh('a'), fresh('a', 'b'));
  void source.refresh();
  expect(await source.find('b')).toBeDefined();
  expect(fetches).toBe(2);
});

describe('unknown keys', () => {
  test('lookups of unknown key ids make the gateway fetch keys five times at once, and then once in ten seconds', async () => {
    const source = sourceOf(fresh('a'));
    await source.refresh();
    const ask = async (times: number) => {
      for (let n = 0; n < times; n++) expect(await source.find(`unknown-${n}`)).toBeUndefined();
      return fetches;
    };
    expect(await ask(20)).toBe(6);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await ask(20)).toBe(7);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(await ask(20)).toBe(12);
  });

  test('the gateway fetches keys for unknown key ids again after the clock was set back', async () => {
    const source = sourceOf(fresh('a'));
    for (let n = 0; n < 10; n++) await source.find('unknown');
    vi.setSystemTime(Date.now() - 86_400_000);
    await source.find('unknown');
    const before = fetches;
    vi.setSystemTime(Date.now() + 10_000);
    await source.find('unknown');
    expect(fetches).toBe(before + 1);
  });

  test('the lookup of an unknown key id fails with the reason unavailable while the provider is unavailable', async () => {
    const source = sourceOf(fresh('a'), AWAY);
    await source.refresh();
    await expect(source.find('b')).rejects.toMatchObject({ reason: 'unavailable', message: 'away' });
    expect(await source.find('a')).toBeDefined();
  });
});

describe('a key with a wrong signature', () => {
  const replaced: FetchedKeys = { keys: new Map([['a', key('another')]]), freshMs: undefined };

  test.each([
    ['replaced under its id', replaced, 'another'],
    ['the same as before', fresh('a'), undefined],
    ['withdrawn', fresh('b'), undefined],
  ])(
    'after a token with a wrong signature, the gateway fetches the key of the token once more and finds it %s',
    async (_name, next, fingerprint) => {
      const source = sourceOf(fresh('a'), next);
      await source.refresh();
      const known = (await source.find('a')) as VerificationKey;
      expect((await source.findReplaced('a', known))?.fingerprint).toBe(fingerprint);
      expect(fetches).toBe(2);
    },
  );

  test('wrong signatures and unknown key ids share one limit of how often the gateway fetches keys', async () => {
    const source = sourceOf(fresh('a'));
    await source.refresh();
    const known = (await source.find('a')) as VerificationKey;
    for (let n = 0; n < 20; n++) {
      expect(await source.findReplaced('a', known)).toBeUndefined();
      expect(await source.find(`unknown-${n}`)).toBeUndefined();
    }
    expect(fetches).toBe(6);
  });

  test('the gateway keeps a known key after a token with a wrong signature while the provider is unavailable', async () => {
    const source = sourceOf(fresh('a'), AWAY);
    await source.refresh();
    const known = (await source.find('a')) as VerificationKey;
    expect(await source.findReplaced('a', known)).toBeUndefined();
  });
});

test('the key source returns one object for a key until the provider changes or removes the key, and then marks it as withdrawn', async () => {
  const changed = new Map([['b', key('another')], ...keysOf('c')]);
  const source = sourceOf(fresh('a', 'b'), fresh('a', 'b'), { keys: changed, freshMs: undefined });
  await source.refresh();
  const [a, b] = [await source.find('a'), await source.find('b')];
  await source.refresh();
  expect([await source.find('a'), await source.find('b')]).toEqual([a, b]);
  expect([a?.isWithdrawn, b?.isWithdrawn]).toEqual([false, false]);
  await source.refresh();
  expect([a?.isWithdrawn, b?.isWithdrawn]).toEqual([true, true]);
  expect((await source.find('b'))?.isWithdrawn).toBe(false);
});
