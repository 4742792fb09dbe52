/** Replicas agree on the keys with which they seal data, whatever happens to the store. */
import { expect, test } from 'vitest';
import { SealKeys } from '../../../runtime/shared-sessions/seal-keys.ts';
import { StoreAwayError } from '../../../runtime/shared-sessions/store.ts';

/** A store that may be unavailable, and may lose its data. */
class Store {
  secretOf: string | undefined;
  isAway = false;
  readonly #gaps: (() => void)[] = [];

  async secret(proposed: string): Promise<string> {
    if (this.isAway) throw new StoreAwayError('away');
    this.secretOf ??= proposed;
    return this.secretOf;
  }

  onGap(listener: () => void): void {
    this.#gaps.push(listener);
  }

  gap(): void {
    for (const listener of this.#gaps) listener();
  }
}

const first = (keys: SealKeys) => keys.get('task ids')[0].toString('hex');

test('a process without a session store has seal keys of its own, and a different key for each purpose', () => {
  const [one, other] = [new SealKeys(), new SealKeys()];
  expect(one.isShared).toBe(true);
  expect(first(one)).not.toBe(first(other));
  expect(first(one)).not.toBe(one.get('held calls')[0].toString('hex'));
});

test('replicas use the seal keys of the store, and still open what they sealed before they reached the store', async () => {
  const store = new Store();
  const one = new SealKeys(store);
  await one.settled();
  store.isAway = true;
  const other = new SealKeys(store);
  const own = first(other);
  await other.settled();
  expect([one.isShared, other.isShared]).toEqual([true, false]);
  expect(first(other)).toBe(own);
  store.isAway = false;
  store.gap();
  await other.settled();
  expect(first(other)).toBe(first(one));
  expect(other.get('task ids').map(key => key.toString('hex'))).toEqual([first(one), own]);
});

test('a store that has lost the secret gets it back from the first replica that reaches the store again', async () => {
  const store = new Store();
  const [one, other] = [new SealKeys(store), new SealKeys(store)];
  await Promise.all([one.settled(), other.settled()]);
  const before = first(one);
  store.secretOf = undefined;
  store.gap();
  await Promise.all([one.settled(), other.settled()]);
  expect([first(one), first(other), first(new SealKeys(store)) === before]).toEqual([before, before, false]);
  const next = new SealKeys(store);
  await next.settled();
  expect(first(next)).toBe(before);
});

test('replicas seal with the new secret of the store, and still open what they sealed with the former secret', async () => {
  const store = new Store();
  const one = new SealKeys(store);
  await one.settled();
  const before = first(one);
  store.secretOf = 'of-another-replica';
  store.gap();
  await one.settled();
  expect(one.get('task ids').map(key => key.toString('hex'))).toEqual([first(one), before]);
  expect(first(one)).not.toBe(before);
});
