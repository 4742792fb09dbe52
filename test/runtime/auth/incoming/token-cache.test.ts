/** What the gateway caches about validated tokens, for how long, and how many entries. */
import { describe, expect, test } from 'vitest';
import { ANONYMOUS, type Identity } from '../../../../runtime/auth/identity.ts';
import { NO_KEY } from '../../../../runtime/auth/incoming/accepted-token.ts';
import { TokenCache } from '../../../../runtime/auth/incoming/token-cache.ts';

const identity = (name: string): Identity => ({ ...ANONYMOUS, key: name });
const until = (end: number, weight = 1) => ({ until: end, basis: NO_KEY, weight });

test('the token cache keeps a token until it expires', () => {
  const cache = new TokenCache();
  const alice = identity('alice');
  cache.put('a', alice, until(1_000));
  expect([cache.get('a', 999), cache.get('b', 999)]).toEqual([alice, undefined]);
  expect([cache.get('a', 1_000), cache.size]).toEqual([undefined, 0]);
});

test('the token cache drops a token once the provider has withdrawn its signing key', () => {
  const cache = new TokenCache();
  const basis = { isWithdrawn: false };
  cache.put('a', identity('a'), { until: 1_000, basis, weight: 1 });
  basis.isWithdrawn = true;
  expect([cache.get('a', 0), cache.size]).toEqual([undefined, 0]);
});

test('the token cache distinguishes tokens that end with the same characters', () => {
  const cache = new TokenCache();
  const end = 'e'.repeat(64);
  cache.put(`a${end}`, identity('alice'), until(1_000));
  expect([`b${end}`, end, `aa${end}`].map(token => cache.get(token, 0))).toEqual([undefined, undefined, undefined]);
  cache.put(`b${end}`, identity('bob'), until(1_000));
  expect([cache.get(`a${end}`, 0), cache.get(`b${end}`, 0)?.key, cache.size]).toEqual([undefined, 'bob', 1]);
});

test('a sweep of the token cache drops expired tokens', () => {
  const cache = new TokenCache();
  for (let n = 0; n < 10; n++) cache.put(`${n}`, identity(`${n}`), until(n));
  cache.sweep(5);
  expect(cache.size).toBe(4);
});

describe('the limits of the token cache', () => {
  test('the token cache at its limit of entries drops the oldest entry that was not used', () => {
    const cache = new TokenCache(3);
    for (const name of ['a', 'b', 'c']) cache.put(name, identity(name), until(1_000));
    cache.get('a', 0);
    cache.put('d', identity('d'), until(1_000));
    const known = ['a', 'b', 'c', 'd'].filter(name => cache.get(name, 0) !== undefined);
    expect(known).toEqual(['a', 'c', 'd']);
  });

  test('the token cache never exceeds its limit of entries, even when all entries were used', () => {
    const cache = new TokenCache(100);
    for (let n = 0; n < 1_000; n++) {
      cache.put(`${n}`, identity(`${n}`), until(1_000));
      cache.get(`${n}`, 0);
    }
    expect(cache.size).toBe(100);
    expect(cache.get('999', 0)).toBeDefined();
  });

  test('the token cache drops entries when their total size exceeds the limit', () => {
    const cache = new TokenCache(100, 10);
    for (let n = 0; n < 5; n++) cache.put(`${n}`, identity(`${n}`), until(1_000, 4));
    expect(cache.size).toBe(2);
    cache.put('3', identity('3'), until(1_000, 1));
    cache.put('5', identity('5'), until(1_000, 5));
    expect(cache.size).toBe(3);
  });

  test('the token cache does not keep a token that is larger than the whole cache', () => {
    const cache = new TokenCache(100, 10);
    cache.put('a', identity('a'), until(1_000, 11));
    expect([cache.size, cache.get('a', 0)]).toEqual([0, undefined]);
    cache.put('b', identity('b'), until(1_000, 10));
    expect(cache.size).toBe(1);
  });
});
